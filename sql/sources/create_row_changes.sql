-- Grain: a row that may be new, changed or gone since the last load of the source. Inputs: current_rows, stratagraph.rows.
-- $growing: tables whose loads are no whole ones, so that a row they don't bring is not gone.
CREATE OR REPLACE TEMP TABLE row_changes AS
WITH last AS (
    SELECT table_name, key, arg_max({'content': content, 'present': present}, loaded_at) AS state
    FROM stratagraph.rows WHERE source = $source GROUP BY table_name, key
), open_rows AS (
    SELECT table_name, key, state.content AS content FROM last WHERE state.present
)
SELECT c.table_name, c.key, c.content, o.content AS content_before, true AS present
FROM current_rows AS c LEFT JOIN open_rows AS o ON o.table_name = c.table_name AND o.key = c.key
WHERE o.content IS DISTINCT FROM c.content
UNION ALL
SELECT o.table_name, o.key, o.content, o.content, false
FROM open_rows AS o LEFT JOIN current_rows AS c ON c.table_name = o.table_name AND c.key = o.key
WHERE c.key IS NULL AND NOT list_contains(CAST($growing AS VARCHAR[]), o.table_name);
