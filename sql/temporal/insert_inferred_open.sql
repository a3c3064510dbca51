-- Grain: one inferred edge row that is believed from now on. It has no value of its own. Input: inferred_rows_opened.
INSERT INTO graph.edges_open
    (dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from, confidence, content_hash,
     value_hash)
SELECT dataset, row_id, subject, predicate, object, NULL, '{}', 'inferred', valid_from, valid_to, key_at, confidence, content_hash,
       unhex(md5('inferred'))
FROM inferred_rows_opened
