-- Grain: a record of the versions that are to be staged; fields: what is used of it, as JSON text (NULL where absent).
-- Inputs: {table}, dlt's table of the records; {fields}, its columns in order, then the lists of scalars $lists; places, lists.
-- $key_names, $key_indexes: the keys, each a list of fields; what is missing of a key of several fields is left out of it.
-- rank tells records of one ref apart, by what they say and not by where they stand. problem: why it can't be stated.
CREATE OR REPLACE TEMP TABLE records AS
WITH lists_of AS (
    SELECT record_id, map(list(path), list(members)) AS members FROM lists GROUP BY record_id
), chosen AS (
    SELECT p.file, p.position, p.record_id,
           list_concat(CAST([{fields}] AS VARCHAR[]), list_transform(CAST($lists AS VARCHAR[]), lambda path: l.members[path])) AS fields
    FROM {table} AS landed JOIN places AS p ON p.record_id = landed._dlt_id LEFT JOIN lists_of AS l ON l.record_id = p.record_id
), read AS (
    SELECT *, list_transform(fields, lambda field: nullif(json_extract_string(field, '$'), '')) AS texts FROM chosen
), parted AS (
    SELECT *, list_transform(list_zip(CAST($key_names AS VARCHAR[][]), CAST($key_indexes AS BIGINT[][])), lambda key:
               list_filter(list_transform(list_zip(key[1], key[2]), lambda part: {'name': part[1], 'value': texts[part[2]], 'json': fields[part[2]]}),
                           lambda part: part.value IS NOT NULL)) AS parts
    FROM read
), keyed AS (
    SELECT *, list_filter(list_transform(list_zip(CAST($key_names AS VARCHAR[][]), parts), lambda key: {
               'name': array_to_string(key[1], ';'), 'size': len(key[2]),
               'path': key_path(list_transform(key[2], lambda part: iri_safe(part.name)), list_transform(key[2], lambda part: part.value)),
               'json': object_of(list_transform(key[2], lambda part: CAST(to_json(part.name) AS VARCHAR)), list_transform(key[2], lambda part: part.json)),
               'text': array_to_string(list_transform(key[2], lambda part: part.value), ' ')}), lambda key: key.size > 0) AS keys
    FROM parted
), timed AS (
    SELECT *, texts[CAST($from_field AS BIGINT)] AS from_text, texts[CAST($to_field AS BIGINT)] AS to_text,
           instant_of(texts[CAST($from_field AS BIGINT)], $zone, $time_format) AS from_instant,
           end_of(texts[CAST($to_field AS BIGINT)], $zone, $time_format, $closed) AS to_instant
    FROM keyed
), named AS (
    SELECT file, position, record_id, fields, keys, list_transform(keys, lambda key: $prefix || key.path) AS refs, $class AS class,
           coalesce(first_label(CAST($labels AS STRUCT(literals VARCHAR[], indexes BIGINT[], required BIGINT[])[]), texts),
                    $noun || ' ' || keys[1].text) AS label,
           object_of(CAST($iris AS VARCHAR[]), first_of(CAST($property_indexes AS BIGINT[][]), fields)) AS properties,
           keys[1].json AS source_key, coalesce(from_instant, '-infinity'::TIMESTAMPTZ) AS valid_from,
           coalesce(to_instant, 'infinity'::TIMESTAMPTZ) AS valid_to,
           CASE WHEN len(keys) = 0 THEN 'no_identifying_key'
                WHEN (from_text IS NOT NULL AND from_instant IS NULL) OR (to_text IS NOT NULL AND to_instant IS NULL) THEN 'unparsable_time' END AS problem,
           CASE WHEN len(keys) = 0 THEN 'none of the identifying fields is present'
                WHEN from_text IS NOT NULL AND from_instant IS NULL THEN 'valid_from is no time: ' || from_text
                WHEN to_text IS NOT NULL AND to_instant IS NULL THEN 'valid_to is no time: ' || to_text END AS detail
    FROM timed
)
SELECT *, refs[1] AS ref, row_number() OVER (PARTITION BY file, refs[1] ORDER BY label, properties, valid_from, valid_to, fields, position) - 1 AS rank
FROM named;
