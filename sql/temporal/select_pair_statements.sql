-- Grain: one statement, live or withdrawn, of a relation that excludes another, and whose subject may belong to a pair.
-- Input: graph.statements, pairs, exclusions, mapping.
WITH excluding AS (
    SELECT DISTINCT dataset, predicate FROM exclusions
), ends AS (
    SELECT dataset, a AS node_id FROM pairs UNION SELECT dataset, b FROM pairs
), subjects AS (
    SELECT dataset, node_id AS ref FROM ends UNION SELECT e.dataset, m.ref FROM ends AS e JOIN mapping AS m ON m.dataset = e.dataset AND m.node_id = e.node_id
)
SELECT s.* FROM graph.statements AS s
JOIN excluding AS x ON x.dataset = s.dataset AND x.predicate = s.predicate
JOIN subjects AS j ON j.dataset = s.dataset AND j.ref = s.subject
WHERE s.kind = 'edge'
