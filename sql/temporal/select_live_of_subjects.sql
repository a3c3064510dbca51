-- Grain: one statement live now whose subject may belong to a touched key. Input: graph.statements, touched, mapping.
WITH subjects AS (
    SELECT DISTINCT t.dataset AS dataset, t.k1 AS ref FROM touched AS t
    UNION
    SELECT DISTINCT t.dataset, m.ref FROM touched AS t JOIN mapping AS m ON m.dataset = t.dataset AND m.node_id = t.k1
)
SELECT s.* FROM graph.statements AS s
JOIN subjects AS j ON j.dataset = s.dataset AND j.ref = s.subject
WHERE s.recorded_to = 'infinity'
