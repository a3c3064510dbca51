-- Grain: one row: how many rows have the foreign key, and how many of those find their row. A NULL in the key is no key.
-- Inputs: stratagraph.rows as they are now; $columns, $referenced_columns: JSON pointers, in the same order.
WITH latest AS (
    SELECT table_name, content, present, row_number() OVER (PARTITION BY table_name, key ORDER BY loaded_at DESC) AS age
    FROM stratagraph.rows WHERE source = $source AND table_name IN ($table, $referenced_table)
), having_key AS (
    SELECT json_extract_string(content, CAST($columns AS VARCHAR[])) AS parts
    FROM latest WHERE age = 1 AND present AND table_name = $table
), targets AS (
    SELECT DISTINCT json_extract_string(content, CAST($referenced_columns AS VARCHAR[])) AS parts
    FROM latest WHERE age = 1 AND present AND table_name = $referenced_table
)
SELECT count(*), count(t.parts) FROM having_key AS k LEFT JOIN targets AS t ON t.parts = k.parts
WHERE len(list_filter(k.parts, lambda part: part IS NULL)) = 0;
