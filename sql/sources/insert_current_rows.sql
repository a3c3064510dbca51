-- Grain: a row of one landing table. Inputs: {table}; {cells}, JSON of its columns in the order of $names (column names as
-- JSON strings, sorted); $key, JSON pointers of the primary key. Rows without a whole key are told apart by content and count.
INSERT INTO current_rows
WITH encoded AS (
    SELECT object_of(CAST($names AS VARCHAR[]), [{cells}]) AS content FROM {table}
), keyed AS (
    SELECT content, json_extract(content, CAST($key AS VARCHAR[])) AS parts FROM encoded
), judged AS (
    SELECT content, parts, len(parts) > 0 AND len(list_filter(parts, lambda part: part IS NULL)) = 0 AS whole FROM keyed
)
SELECT $table, CASE WHEN whole THEN to_json(parts)
                    ELSE json_array('#', md5(content), row_number() OVER (PARTITION BY whole, content)) END, content
FROM judged;
