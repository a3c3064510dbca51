-- Grain: one ref that a user gives to a node, or tells apart. Input: assigned (ref, node_id, reason).
SELECT ref, node_id, reason, 'manual' AS method, CAST(1.0 AS DOUBLE) AS score FROM assigned
