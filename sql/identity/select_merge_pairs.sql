-- Grain: one merge as a pair of numbers. Inputs: {merges} (a, b), merge_nodes.
SELECT x.number AS a, y.number AS b FROM {merges} AS m
JOIN merge_nodes AS x ON x.node = m.a
JOIN merge_nodes AS y ON y.node = m.b
ORDER BY x.number, y.number
