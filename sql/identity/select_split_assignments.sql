-- Grain: one ref that leaves a node: the ref that is told apart, and the refs that came with it when it was merged, as they stood before.
-- Inputs: mapping, graph.identities. Parameters: $dataset, $ref, $reason.
WITH own AS (
    SELECT recorded_from FROM graph.identities WHERE dataset = $dataset AND ref = $ref AND node_id <> $ref
), here AS (
    SELECT node_id FROM mapping WHERE dataset = $dataset AND ref = $ref
), came_with AS (
    SELECT i.ref AS ref, i.method AS method, i.score AS score, i.reason AS reason,
           row_number() OVER (PARTITION BY i.ref ORDER BY i.recorded_from DESC) AS place
    FROM graph.identities AS i
    JOIN own AS o ON o.recorded_from = i.recorded_to
    JOIN mapping AS m ON m.dataset = i.dataset AND m.ref = i.ref
    JOIN here AS h ON h.node_id = m.node_id
    WHERE i.dataset = $dataset AND i.node_id = $ref AND i.ref <> $ref
)
SELECT $ref AS ref, $ref AS node_id, $reason AS reason, 'manual' AS method, CAST(1.0 AS DOUBLE) AS score
UNION ALL
SELECT ref, $ref, reason, method, score FROM came_with WHERE place = 1
