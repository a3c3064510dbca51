-- Grain: one candidate as it is held now, with what its nodes are called. Inputs: graph.identity_candidates, graph.nodes_open.
-- Parameters: $dataset, $decision (NULL: all), $id (NULL: all).
WITH labels AS (
    SELECT node_id, min(label) AS label FROM graph.nodes_open WHERE dataset = $dataset GROUP BY node_id
)
SELECT c.a, x.label AS label_a, c.b, y.label AS label_b, round(c.score, 3) AS score, c.decision, c.judge, c.reason, graph.iso(c.recorded_from) AS recorded_from, c.evidence
FROM graph.identity_candidates AS c
LEFT JOIN labels AS x ON x.node_id = c.a
LEFT JOIN labels AS y ON y.node_id = c.b
WHERE c.dataset = $dataset AND c.recorded_to = 'infinity' AND (CAST($decision AS VARCHAR) IS NULL OR c.decision = $decision)
  AND (CAST($id AS VARCHAR) IS NULL OR c.a = $id OR c.b = $id)
ORDER BY c.score DESC, c.a, c.b
