-- Grain: one id under which something is known, with the node it stands for, and what that is called. Inputs: graph.nodes_open,
-- graph.identities. Parameters: $dataset, $id.
WITH named AS (
    SELECT node_id AS ref, node_id FROM graph.nodes_open WHERE dataset = $dataset AND node_id = $id
    UNION
    SELECT ref, node_id FROM graph.identities WHERE dataset = $dataset AND recorded_to = 'infinity' AND ref = $id
)
SELECT n.ref AS ref, n.node_id AS node_id, min(o.label) AS label FROM named AS n
LEFT JOIN (SELECT node_id, label FROM graph.nodes_open WHERE dataset = $dataset) AS o ON o.node_id = n.node_id
GROUP BY n.ref, n.node_id ORDER BY n.ref <> n.node_id DESC
