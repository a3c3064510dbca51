-- Grain: a record of the versions that are to be staged; fields: the mapped fields in order, as JSON text (NULL where absent).
-- Inputs: {table}, dlt's table of the records; {fields}; the registered relation `wanted` (file). rank tells records of one ref apart.
CREATE OR REPLACE TEMP TABLE records AS
WITH chosen AS (
    SELECT r.version_file AS file, r.version_position AS position, r._dlt_id AS record_id, CAST([{fields}] AS VARCHAR[]) AS fields
    FROM {table} AS r
    JOIN stratagraph.versions AS v ON v.load_id = r._dlt_load_id AND v.file = r.version_file AND v.source = $source
    JOIN wanted AS w ON w.file = v.file
), read AS (
    SELECT *, list_transform(fields, lambda field: nullif(json_extract_string(field, '$'), '')) AS texts FROM chosen
), keyed AS (
    SELECT *, list_filter(list_transform(list_zip(CAST($key_names AS VARCHAR[]), CAST($key_indexes AS BIGINT[])),
               lambda key: {'name': key[1], 'value': texts[key[2]], 'json': fields[key[2]]}), lambda key: key.value IS NOT NULL) AS keys
    FROM read
), named AS (
    SELECT *, list_transform(keys, lambda key: $prefix || iri_safe(key.name) || '=' || iri_safe(key.value)) AS refs FROM keyed
)
SELECT file, position, record_id, keys, refs, refs[1] AS ref, $class AS class,
       first_label(CAST($labels AS STRUCT(literals VARCHAR[], indexes BIGINT[], required BIGINT[])[]), texts) AS label,
       object_of(CAST($iris AS VARCHAR[]), list_transform(CAST($property_indexes AS BIGINT[]), lambda i: fields[i])) AS properties,
       '{' || to_json(keys[1].name) || ':' || keys[1].json || '}' AS source_key,
       row_number() OVER (PARTITION BY file, refs[1] ORDER BY position) - 1 AS rank
FROM named;
