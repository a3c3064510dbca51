-- Grain: a row of one table that a load just brought and that is erased. Inputs: current_rows, tombstones (registered), macros of
-- layer sources. Parameters: $secret, $source, $table, $columns (its primary key as JSON strings), $key (JSON pointers of that).
INSERT INTO erased_rows
WITH keyed AS (
    SELECT key, json_extract(content, CAST($key AS VARCHAR[])) AS cells FROM current_rows WHERE table_name = $table
)
SELECT $source, $table, k.key, list_transform(k.cells, lambda c: json_extract_string(c, '$')) FROM keyed AS k
JOIN tombstones AS t ON t.kind IN ('row', 'record')
 AND t.token = token_of($secret, t.kind, $source || '/' || $table || ' ' || object_of(CAST($columns AS VARCHAR[]), k.cells));
