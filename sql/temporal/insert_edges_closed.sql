-- Grain: one asserted edge row whose belief ends now. Input: closed_values.
INSERT INTO graph.edges_closed
    (dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from, recorded_to, confidence,
     content_hash, value_hash)
SELECT dataset, row_id, subject, predicate, object, text, properties, 'asserted', valid_from, valid_to, recorded_from, key_at, confidence,
       content_hash, value_hash
FROM closed_values WHERE kind = 'edge'
