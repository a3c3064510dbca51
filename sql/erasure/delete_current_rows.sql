-- Grain: a row that a load just brought and that is erased. Inputs: current_rows, tombstones (registered), macros of layer sources.
-- Parameters: $secret, $source, $table, $columns (its primary key as JSON strings), $key (JSON pointers of that).
DELETE FROM current_rows AS r USING tombstones AS t
WHERE r.table_name = $table AND t.kind IN ('row', 'record')
  AND t.token = token_of($secret, t.kind, $source || '/' || $table || ' '
                         || object_of(CAST($columns AS VARCHAR[]), json_extract(r.content, CAST($key AS VARCHAR[]))));
