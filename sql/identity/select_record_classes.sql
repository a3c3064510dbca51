-- Grain: one class of a node, as believed now about any time. What a user told apart is compared with nothing, so it has none here.
-- Inputs: graph.nodes_open, mapping. Parameter: $dataset.
WITH apart AS (
    SELECT ref FROM mapping WHERE dataset = $dataset AND method = 'manual' AND ref = node_id
)
SELECT DISTINCT n.node_id AS record, n.class AS class FROM graph.nodes_open AS n LEFT JOIN apart AS a ON a.ref = n.node_id
WHERE n.dataset = $dataset AND a.ref IS NULL
