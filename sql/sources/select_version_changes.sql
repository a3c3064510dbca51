-- Grain: a change of the fields of a recorded source, with the version that brought it, oldest first.
SELECT v.file, CASE WHEN c.table_name = 'record' THEN '' ELSE substr(c.table_name, 8) || '.' END || c.column_name AS field,
       c.change || coalesce(' from ' || c.before, '') AS change
FROM stratagraph.schema_changes AS c JOIN stratagraph.versions AS v ON v.source = c.source AND v.recorded_at = c.seen_at
WHERE c.source = $source ORDER BY v.recorded_at, v.file, c.table_name, c.column_name;
