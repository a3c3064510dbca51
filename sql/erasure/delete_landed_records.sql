-- Grain: a record of {table}, dlt's of a recorded source, in any version, that is erased. {fields}: its identifying fields as JSON
-- text. Input: tombstones (registered). Parameters: $secret, $source, $names and $indexes: the keys, each a list of fields and of
-- their positions in {fields}; a record is known by what it has of the first key that it has anything of.
DELETE FROM {table} WHERE _dlt_id IN (
    WITH read AS (
        SELECT landed._dlt_id AS record_id, CAST([{fields}] AS VARCHAR[]) AS cells FROM {table} AS landed
    ), keyed AS (
        SELECT record_id, list_filter(
                   list_transform(list_zip(CAST($names AS VARCHAR[][]), CAST($indexes AS BIGINT[][])), lambda key: list_filter(
                       list_zip(key[1], list_transform(key[2], lambda i: cells[i])),
                       lambda part: nullif(json_extract_string(part[2], '$'), '') IS NOT NULL)),
                   lambda key: len(key) > 0)[1] AS parts
        FROM read
    )
    SELECT k.record_id FROM keyed AS k JOIN tombstones AS t ON t.kind IN ('row', 'record') AND t.token = token_of($secret, t.kind,
        $source || '/record {' || array_to_string(list_transform(k.parts, lambda part: CAST(to_json(part[1]) AS VARCHAR) || ':' || part[2]), ',') || '}'));
