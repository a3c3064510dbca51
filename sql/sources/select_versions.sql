-- Grain: a version of a recorded source that was loaded, oldest first.
SELECT file, recorded_at, sha256 FROM stratagraph.versions WHERE source = $source ORDER BY recorded_at, file;
