-- Grain: one row per (source end missing, target end missing) of the edges believed now that are not shown, because an end
-- is not believed now. Inputs: graph.edges_open, graph.nodes_now.
WITH believed AS (
    SELECT DISTINCT n.dataset, n.node_id FROM graph.nodes_now AS n
)
SELECT s.node_id IS NULL AS subject_missing, o.node_id IS NULL AS object_missing, count(*) AS edges, min(e.edge_id) AS sample
FROM graph.edges_open AS e
LEFT JOIN believed AS s ON s.dataset = e.dataset AND s.node_id = e.subject
LEFT JOIN believed AS o ON o.dataset = e.dataset AND o.node_id = e.object
WHERE e.valid_from <= now() AND now() < e.valid_to AND (s.node_id IS NULL OR o.node_id IS NULL)
GROUP BY subject_missing, object_missing
ORDER BY subject_missing, object_missing;
