-- Grain: a change of a feed that the log does not have yet, at its own time. Input: feed_rows.
INSERT INTO stratagraph.rows
SELECT $source, f.table_name, f.key, f.content, f.moment, f.present
FROM feed_rows AS f
LEFT JOIN stratagraph.rows AS r ON r.source = $source AND r.table_name = f.table_name AND r.key = f.key AND r.loaded_at = f.moment
WHERE f.problem IS NULL AND r.key IS NULL
ORDER BY f.table_name, f.key, f.moment;
