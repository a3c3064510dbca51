-- Grain: one node that takes part in a merge, with a dense number. Input: {merges} (a, b).
WITH nodes AS (
    SELECT a AS node FROM {merges} UNION SELECT b FROM {merges}
)
SELECT node, row_number() OVER (ORDER BY node) - 1 AS number FROM nodes
