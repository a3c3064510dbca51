-- Grain: one inferred edge row whose belief ends now. Input: graph.edges_open, inferred_rows_closed.
INSERT INTO graph.edges_closed
    (dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from, recorded_to, confidence,
     content_hash, value_hash)
SELECT e.dataset, e.edge_id, e.subject, e.predicate, e.object, e.fact, e.properties, e.origin, e.valid_from, e.valid_to, e.recorded_from,
       c.key_at, e.confidence, e.content_hash, e.value_hash
FROM graph.edges_open AS e
JOIN inferred_rows_closed AS c ON c.dataset = e.dataset AND c.row_id = e.edge_id AND c.content_hash = e.content_hash
