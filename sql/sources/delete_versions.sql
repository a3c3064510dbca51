-- Grain: versions of a recorded source that count as loaded no more. Their rows in dlt's tables don't count without them.
DELETE FROM stratagraph.versions WHERE source = $source AND list_contains(CAST($files AS VARCHAR[]), file);
