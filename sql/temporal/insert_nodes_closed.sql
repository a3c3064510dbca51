-- Grain: one node row whose belief ends now. Input: closed_values.
INSERT INTO graph.nodes_closed
    (dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, recorded_to, confidence, content_hash, value_hash)
SELECT dataset, row_id, predicate, class, text, properties, valid_from, valid_to, recorded_from, key_at, confidence, content_hash, value_hash
FROM closed_values WHERE kind = 'node'
