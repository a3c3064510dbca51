-- Grain: one node row that was copied to nodes_closed. Input: rows_closed.
DELETE FROM graph.nodes_open AS n USING rows_closed AS c
WHERE c.kind = 'node' AND c.content_hash = n.content_hash AND c.dataset = n.dataset
