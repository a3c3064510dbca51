-- Grain: one node row that is believed from now on. Input: opened_values.
INSERT INTO graph.nodes_open
    (dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, confidence, content_hash, value_hash)
SELECT dataset, subject, predicate, class, text, properties, valid_from, valid_to, key_at, confidence, content_hash, value_hash
FROM opened_values WHERE kind = 'node'
