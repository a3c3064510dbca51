-- Grain: one ref that is given to a node, or that follows the ref it stood for. What is given to a ref that is told apart at the same time
-- stands for that ref, not for the node it leaves. Input: decisions (ref, node_id, reason, method, score), mapping.
WITH mapped AS (
    SELECT ref, node_id, method, score FROM mapping WHERE dataset = $dataset
), apart AS (
    SELECT ref FROM decisions WHERE ref = node_id
), resolved AS (
    SELECT a.ref, CASE WHEN p.ref IS NOT NULL THEN a.node_id ELSE coalesce(m.node_id, a.node_id) END AS node_id, a.reason, a.method, a.score
    FROM decisions AS a
    LEFT JOIN mapped AS m ON m.ref = a.node_id
    LEFT JOIN apart AS p ON p.ref = a.node_id
), followers AS (
    SELECT m.ref, r.node_id, 'follows ' || r.ref AS reason, m.method, m.score
    FROM mapped AS m JOIN resolved AS r ON r.ref = m.node_id
    LEFT JOIN resolved AS own ON own.ref = m.ref
    WHERE r.ref <> r.node_id AND own.ref IS NULL
), wanted AS (
    SELECT ref, node_id, method, score, reason FROM resolved
    UNION ALL
    SELECT ref, node_id, method, score, reason FROM followers
)
SELECT $dataset AS dataset, w.ref AS ref, w.node_id AS node_id, w.method AS method, w.score AS score, w.reason AS reason,
       CAST($store_now AS TIMESTAMPTZ) AS changed_at
FROM wanted AS w LEFT JOIN mapped AS m ON m.ref = w.ref
WHERE coalesce(m.node_id, w.ref) <> w.node_id OR (w.method = 'manual' AND coalesce(m.method <> 'manual', TRUE))
