-- Grain: a row of one landing table. Inputs: {table}; {content}, JSON of its columns by name, without NULLs; {key}, a JSON array, NULL
-- where a part of it is; {id}, dlt's id or NULL; {place}: of rows of one key, the one with the lowest stands. Rows without a whole key are told apart by
-- content and count.
INSERT INTO current_rows
WITH encoded AS (
    SELECT {content} AS content, {key} AS key, {id} AS row_id, {place} AS place FROM {table}
)
SELECT $name, key, content, row_id, place FROM encoded WHERE key IS NOT NULL
UNION ALL
SELECT $name, CAST(json_array('#', md5(content), row_number() OVER (PARTITION BY content ORDER BY place)) AS VARCHAR), content, row_id, place
FROM encoded WHERE key IS NULL;
