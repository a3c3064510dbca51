-- Grain: one row: what the last load could not read, and how many changes of columns it found.
SELECT (SELECT count(*) FROM stratagraph.refused WHERE source = $source),
       (SELECT count(*) FROM stratagraph.schema_changes AS c JOIN stratagraph.loads AS l ON l.source = c.source AND l.loaded_at = c.seen_at
        WHERE c.source = $source);
