-- Grain: one pair of nodes that a user decided to be two. Inputs: graph.identity_candidates, mapping. Parameter: $dataset.
SELECT coalesce(m.node_id, c.a) AS a, coalesce(n.node_id, c.b) AS b
FROM graph.identity_candidates AS c
LEFT JOIN mapping AS m ON m.dataset = c.dataset AND m.ref = c.a
LEFT JOIN mapping AS n ON n.dataset = c.dataset AND n.ref = c.b
WHERE c.dataset = $dataset AND c.recorded_to = 'infinity' AND c.judge = 'manual' AND c.decision = 'apart'
