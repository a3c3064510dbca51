-- Grain: a version of a recorded source that was loaded, oldest first.
SELECT file, recorded_at, sha256, item_count, read_as, state, reason, detail, payload, moved
FROM stratagraph.versions WHERE source = $source ORDER BY recorded_at, file;
