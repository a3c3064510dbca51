-- Grain: a row whose foreign key finds no row, and whose target has no IRI for want of one. Input: entities.
INSERT INTO problems
WITH targets AS (
    SELECT DISTINCT json_extract_string(content, CAST($referenced_columns AS VARCHAR[])) AS target
    FROM entities WHERE table_name = $referenced_table AND problem IS NULL
), latest AS (
    SELECT *, row_number() OVER (PARTITION BY key ORDER BY loaded_at DESC) AS age
    FROM entities WHERE table_name = $table AND problem IS NULL
), keyed AS (
    SELECT content, source_key, json_extract_string(content, CAST($columns AS VARCHAR[])) AS parts
    FROM latest WHERE age = 1 AND polarity = 'assert'
)
SELECT 'foreign_key_target_missing', $name || ': no such row', k.content, $source || '/' || $table || ' ' || k.source_key, $source || '/' || $table
FROM keyed AS k LEFT JOIN targets AS t ON t.target = k.parts
WHERE len(list_filter(k.parts, lambda part: part IS NULL)) = 0 AND t.target IS NULL;
