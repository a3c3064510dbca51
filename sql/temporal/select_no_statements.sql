-- Grain: none: statements of the log, when there is nothing to look for.
SELECT * FROM graph.statements WHERE FALSE
