-- Grain: a row of a table that has one state in the log. Input: stratagraph.rows.
SELECT rowid AS number, key, content, loaded_at, present, TRUE AS alone, TRUE AS last, 0 AS step, CAST(NULL AS TIMESTAMPTZ) AS happened_at
FROM stratagraph.rows WHERE source = $source AND table_name = $table AND ($valid_time = 'load' OR present)
