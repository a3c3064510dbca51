-- Grain: one pair of nodes that is decided to be one and is not yet. What a user told apart stays apart.
-- Inputs: graph.identity_candidates, graph.nodes_open, mapping. Parameter: $dataset.
WITH nodes AS (
    SELECT DISTINCT node_id FROM graph.nodes_open WHERE dataset = $dataset
), apart AS (
    SELECT ref FROM mapping WHERE dataset = $dataset AND method = 'manual' AND ref = node_id
), decided AS (
    SELECT c.a AS candidate_a, c.b AS candidate_b, coalesce(m.node_id, c.a) AS a, coalesce(n.node_id, c.b) AS b,
           CASE c.judge WHEN 'rules' THEN 'similarity' ELSE c.judge END AS method, c.score AS score, c.reason AS reason
    FROM graph.identity_candidates AS c
    LEFT JOIN mapping AS m ON m.dataset = c.dataset AND m.ref = c.a
    LEFT JOIN mapping AS n ON n.dataset = c.dataset AND n.ref = c.b
    LEFT JOIN apart AS x ON x.ref = c.a
    LEFT JOIN apart AS y ON y.ref = c.b
    WHERE c.dataset = $dataset AND c.recorded_to = 'infinity' AND c.decision = 'merge' AND x.ref IS NULL AND y.ref IS NULL
)
SELECT d.* FROM decided AS d
JOIN nodes AS n ON n.node_id = d.a
JOIN nodes AS m ON m.node_id = d.b
WHERE d.a <> d.b
