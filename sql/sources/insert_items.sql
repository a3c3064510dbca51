-- Grain: an item of one nested list, as an edge. Inputs: {table}, dlt's table of the list; {fields}, its mapped fields in order, then
-- the record's own $record_fields (positions); records. $object: template of the object's local id, its fields percent-encoded;
-- $local_ids, $local_labels: labels of objects, else $labels, else the id's last part. Without fields of its own for it, the edge is
-- valid as long as its record.
INSERT INTO items
WITH chosen AS (
    SELECT r.file, r.position, landed._dlt_list_idx AS item, r.ref AS subject, r.rank, r.label, r.source_key, r.valid_from, r.valid_to,
           list_concat(CAST([{fields}] AS VARCHAR[]), list_transform(CAST($record_fields AS BIGINT[]), lambda n: r.fields[n])) AS fields
    FROM {table} AS landed JOIN records AS r ON r.record_id = landed._dlt_parent_id
    WHERE r.problem IS NULL
), read AS (
    SELECT *, list_transform(fields, lambda field: nullif(json_extract_string(field, '$'), '')) AS texts FROM chosen
), named AS (
    SELECT *, render(CAST($object AS STRUCT(literals VARCHAR[], indexes BIGINT[], required BIGINT[])), list_transform(texts, lambda part: iri_safe(part))) AS local,
           texts[CAST($from_field AS BIGINT)] AS from_text, texts[CAST($to_field AS BIGINT)] AS to_text
    FROM read
), timed AS (
    SELECT *, instant_of(from_text, $zone, $time_format) AS from_instant, end_of(to_text, $zone, $time_format, $closed) AS to_instant,
           coalesce(CAST($local_labels AS VARCHAR[])[list_position(CAST($local_ids AS VARCHAR[]), local)],
                    first_label(CAST($labels AS STRUCT(literals VARCHAR[], indexes BIGINT[], required BIGINT[])[]), texts),
                    url_decode(string_split(local, '/')[-1])) AS object_label
    FROM named
)
SELECT file, position, rank, item, subject, $predicate, local, $prefix || local, $object_class, object_label,
       squeeze(concat_ws(' ', label, $words, object_label)),
       object_of(CAST($iris AS VARCHAR[]), list_transform(CAST($property_indexes AS BIGINT[]), lambda i: fields[i])), source_key,
       coalesce(from_instant, CASE WHEN $from_field IS NULL THEN valid_from ELSE '-infinity'::TIMESTAMPTZ END),
       coalesce(to_instant, CASE WHEN $to_field IS NULL THEN valid_to ELSE 'infinity'::TIMESTAMPTZ END),
       CASE WHEN local IS NULL THEN 'no_object'
            WHEN (from_text IS NOT NULL AND from_instant IS NULL) OR (to_text IS NOT NULL AND to_instant IS NULL) THEN 'unparsable_time' END,
       CASE WHEN local IS NULL THEN 'a field of the object''s id is missing'
            WHEN from_text IS NOT NULL AND from_instant IS NULL THEN 'valid_from is no time: ' || from_text
            WHEN to_text IS NOT NULL AND to_instant IS NULL THEN 'valid_to is no time: ' || to_text END,
       fields
FROM timed;
