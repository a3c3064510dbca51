-- Grain: none: the withdrawn set of a batch that is not complete.
SELECT * FROM graph.statements WHERE FALSE
