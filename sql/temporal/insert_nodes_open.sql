-- Grain: one node row that is believed from now on. Input: rows_opened.
INSERT INTO graph.nodes_open
    (dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, confidence, content_hash)
SELECT dataset, k1, k2, predicate, text, properties, valid_from, valid_to, key_at, confidence, content_hash
FROM rows_opened WHERE key_kind = 'node' ORDER BY k1, valid_from
