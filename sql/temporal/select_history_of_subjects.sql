-- Grain: one statement, live or withdrawn, whose subject may belong to a touched key. Input: graph.statements, {keys}, mapping.
WITH subjects AS (
    SELECT DISTINCT k.dataset AS dataset, k.k1 AS ref FROM {keys} AS k
    UNION
    SELECT DISTINCT k.dataset, m.ref FROM {keys} AS k JOIN mapping AS m ON m.dataset = k.dataset AND m.node_id = k.k1
)
SELECT s.* FROM graph.statements AS s JOIN subjects AS j ON j.dataset = s.dataset AND j.ref = s.subject
