-- Grain: one candidate that is none any more: what it was compared for has changed, or one of its two nodes is gone. A merge stays as it was
-- decided. Inputs: verdicts, changed, graph.identity_candidates, graph.nodes_open. Parameter: $dataset.
WITH nodes AS (
    SELECT DISTINCT node_id FROM graph.nodes_open WHERE dataset = $dataset
), kept AS (
    SELECT a, b FROM graph.identity_candidates
    WHERE dataset = $dataset AND recorded_to = 'infinity' AND judge <> 'manual' AND decision <> 'merge'
)
SELECT k.a AS a, k.b AS b FROM kept AS k
LEFT JOIN verdicts AS v ON v.a = k.a AND v.b = k.b
LEFT JOIN changed AS x ON x.record = k.a
LEFT JOIN changed AS y ON y.record = k.b
LEFT JOIN nodes AS n ON n.node_id = k.a
LEFT JOIN nodes AS m ON m.node_id = k.b
WHERE v.a IS NULL AND (x.record IS NOT NULL OR y.record IS NOT NULL OR n.node_id IS NULL OR m.node_id IS NULL)
