-- Grain: one support row that begins now. Input: {opened}.
INSERT INTO graph.support (dataset, kind, row_id, content_hash, statement_id, recorded_from, recorded_to)
SELECT dataset, kind, row_id, content_hash, statement_id, key_at, 'infinity' FROM {opened}
