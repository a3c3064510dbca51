-- Grain: a record of {table}, dlt's of a recorded source, in any version, that is erased. {fields}: its identifying fields in the
-- order of $names, as JSON text. Input: tombstones (registered). Parameters: $secret, $source, $names.
DELETE FROM {table} AS l WHERE EXISTS (
    SELECT 1 FROM tombstones AS t WHERE t.kind IN ('row', 'record') AND t.token = token_of($secret, t.kind,
        $source || '/record {' || array_to_string(list_transform(list_filter(
            list_zip(CAST($names AS VARCHAR[]), CAST([{fields}] AS VARCHAR[])),
            lambda f: nullif(json_extract_string(f[2], '$'), '') IS NOT NULL)[:1], lambda f: to_json(f[1]) || ':' || f[2]), '') || '}'));
