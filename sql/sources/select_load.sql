-- Grain: the last whole load of a source, if there is one.
SELECT input_fingerprint, content_fingerprint, history_fingerprint, tables, row_count FROM stratagraph.loads WHERE source = $source;
