-- Grain: one node row whose belief ends now. Input: graph.nodes_open, rows_closed.
INSERT INTO graph.nodes_closed
    (dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, recorded_to, confidence, content_hash, value_hash)
SELECT n.dataset, n.node_id, n.facet, n.class, n.label, n.properties, n.valid_from, n.valid_to, n.recorded_from, c.key_at, n.confidence,
       n.content_hash, n.value_hash
FROM graph.nodes_open AS n
JOIN rows_closed AS c ON c.dataset = n.dataset AND c.row_id = n.node_id AND c.content_hash = n.content_hash
WHERE c.kind = 'node'
