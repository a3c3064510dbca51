-- Grain: a row that is new, changed or gone since the last load of the source. Inputs: current_rows, stratagraph.rows.
INSERT INTO stratagraph.rows
WITH last AS (
    SELECT table_name, key, arg_max({'content': content, 'present': present}, loaded_at) AS state
    FROM stratagraph.rows WHERE source = $source GROUP BY table_name, key
), open_rows AS (
    SELECT table_name, key, state.content AS content FROM last WHERE state.present
), changes AS (
    SELECT c.table_name, c.key, c.content, true AS present
    FROM current_rows AS c LEFT JOIN open_rows AS o ON o.table_name = c.table_name AND o.key = c.key
    WHERE o.content IS DISTINCT FROM c.content
    UNION ALL
    SELECT o.table_name, o.key, o.content, false
    FROM open_rows AS o LEFT JOIN current_rows AS c ON c.table_name = o.table_name AND c.key = o.key
    WHERE c.key IS NULL
)
SELECT $source, table_name, key, content, $loaded_at, present FROM changes ORDER BY table_name, key;
