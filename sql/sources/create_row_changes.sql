-- Grain: a row that may be new, changed or gone since the last load of the source. Inputs: current_rows, stratagraph.rows.
-- $growing: tables of which the load brings a part only; $parents: what each of them is nested in, or empty. What such a load does not
-- bring is not gone, but for an item of a list in a row that it does bring.
CREATE OR REPLACE TEMP TABLE row_changes AS
WITH last AS (
    SELECT table_name, key, arg_max({'content': content, 'present': present}, loaded_at) AS state
    FROM stratagraph.rows WHERE source = $source GROUP BY table_name, key
), open_rows AS (
    SELECT table_name, key, state.content AS content FROM last WHERE state.present
), growing AS (
    SELECT unnest(CAST($growing AS VARCHAR[])) AS table_name, unnest(CAST($parents AS VARCHAR[])) AS parent
), absent AS (
    SELECT o.table_name, o.key, o.content, g.table_name AS grows, g.parent,
           regexp_replace(o.key, ',[0-9]+\]$', ']') AS parent_key
    FROM open_rows AS o
    LEFT JOIN current_rows AS c ON c.table_name = o.table_name AND c.key = o.key
    LEFT JOIN growing AS g ON g.table_name = o.table_name
    WHERE c.key IS NULL
)
SELECT c.table_name, c.key, c.content, o.content AS content_before, true AS present
FROM current_rows AS c LEFT JOIN open_rows AS o ON o.table_name = c.table_name AND o.key = c.key
WHERE o.content IS DISTINCT FROM c.content
UNION ALL
SELECT a.table_name, a.key, a.content, a.content, false
FROM absent AS a LEFT JOIN current_rows AS p ON p.table_name = a.parent AND p.key = a.parent_key
WHERE a.grows IS NULL OR p.key IS NOT NULL;
