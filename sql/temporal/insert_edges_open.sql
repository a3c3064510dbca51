-- Grain: one asserted edge row that is believed from now on. Input: opened_values.
INSERT INTO graph.edges_open
    (dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from, confidence, content_hash,
     value_hash)
SELECT dataset, row_id, subject, predicate, object, text, properties, 'asserted', valid_from, valid_to, key_at, confidence, content_hash,
       value_hash
FROM opened_values WHERE kind = 'edge'
