-- Grain: a row of one table that a load just brought and that is erased. Inputs: current_rows, tombstones (registered), macros of
-- layer sources. Parameters: $secret, $source, $table; $names, what its key in the log is made of, as JSON strings; $first, the place in
-- that key where this begins; $keyed, whether dlt's table has the same columns.
INSERT INTO erased_rows
WITH keyed AS (
    SELECT key, json_extract(key, '$[*]')[$first:] AS cells FROM current_rows WHERE table_name = $table
)
SELECT $source, $table, k.key, CASE WHEN $keyed THEN list_transform(k.cells, lambda c: json_extract_string(c, '$')) END
FROM keyed AS k
JOIN tombstones AS t ON t.kind IN ('row', 'record')
 AND t.token = token_of($secret, t.kind, $source || '/' || $table || ' ' || object_of(CAST($names AS VARCHAR[]), k.cells));
