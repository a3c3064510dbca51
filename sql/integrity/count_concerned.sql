-- Grain: one row: how many edge rows a commit opened, and how many node rows it closed. Input: rows_opened, rows_closed.
SELECT (SELECT count(*) FROM rows_opened WHERE kind = 'edge') AS edges, (SELECT count(*) FROM rows_closed WHERE kind = 'node') AS nodes
