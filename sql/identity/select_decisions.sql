-- Grain: one ref that goes to a node, by a user or by a judge; what a user decided about a ref, no other overturns.
-- Inputs: assigned (ref, node_id, reason, method, score), mapping. Parameter: $dataset.
WITH manual AS (
    SELECT ref FROM mapping WHERE dataset = $dataset AND method = 'manual'
)
SELECT a.ref AS ref, a.node_id AS node_id, a.reason AS reason, a.method AS method, a.score AS score
FROM assigned AS a LEFT JOIN manual AS m ON m.ref = a.ref WHERE a.method = 'manual' OR m.ref IS NULL
