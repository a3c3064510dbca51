-- Grain: one node row that was copied to nodes_closed. Input: rows_closed.
DELETE FROM graph.nodes_open AS n USING rows_closed AS c
WHERE c.kind = 'node' AND c.dataset = n.dataset AND c.row_id = n.node_id AND c.content_hash = n.content_hash
