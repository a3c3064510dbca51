-- Grain: one claim that begins now. Input: {opened}.
INSERT INTO graph.claims (dataset, kind, row_id, facet, value_hash, statement_id, valid_from, valid_to, recorded_from, recorded_to)
SELECT dataset, kind, row_id, facet, value_hash, statement_id, valid_from, valid_to, key_at, 'infinity' FROM {opened}
