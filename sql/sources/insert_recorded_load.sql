-- Grain: the load of a recorded source that just ended.
INSERT INTO stratagraph.loads
SELECT $source, 'recorded', $input_fingerprint, $input_fingerprint, $input_fingerprint, $loaded_at, $tables, sum(record_count)
FROM stratagraph.versions WHERE source = $source;
