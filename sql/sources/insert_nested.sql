-- Grain: an item of one nested list, as a record of its own. Inputs: {table}, dlt's table of the list; {fields}, its columns in order,
-- then the lists of scalars $lists; records, nested (what the list may be in), lists. $key_names, $key_indexes: what tells the items
-- of one record apart, else their position.
INSERT INTO nested
WITH lists_of AS (
    SELECT record_id, map(list(path), list(members)) AS members FROM lists GROUP BY record_id
), parents AS (
    SELECT record_id, file, position, ref, label, source_key, valid_from, valid_to FROM records WHERE problem IS NULL
    UNION ALL
    SELECT record_id, file, position, ref, label, source_key, valid_from, valid_to FROM nested
), chosen AS (
    SELECT p.* EXCLUDE record_id, landed._dlt_id AS record_id, landed._dlt_list_idx AS item,
           list_concat(CAST([{fields}] AS VARCHAR[]), list_transform(CAST($lists AS VARCHAR[]), lambda path: l.members[path])) AS fields
    FROM {table} AS landed JOIN parents AS p ON p.record_id = landed._dlt_parent_id LEFT JOIN lists_of AS l ON l.record_id = landed._dlt_id
), read AS (
    SELECT *, list_transform(fields, lambda field: nullif(json_extract_string(field, '$'), '')) AS texts FROM chosen
), parted AS (
    SELECT *, list_filter(list_zip(CAST($key_names AS VARCHAR[]), list_transform(CAST($key_indexes AS BIGINT[]), lambda i: texts[i])),
                          lambda part: part[2] IS NOT NULL) AS parts
    FROM read
), named AS (
    SELECT *, CASE WHEN len(parts) > 0 THEN key_path(list_transform(parts, lambda part: part[1]), list_transform(parts, lambda part: part[2]))
                   ELSE CAST(item AS VARCHAR) END AS local,
           coalesce(first_label(CAST($labels AS STRUCT(literals VARCHAR[], indexes BIGINT[], required BIGINT[])[]), texts),
                    $noun || ' ' || CASE WHEN len(parts) > 0 THEN array_to_string(list_transform(parts, lambda part: part[2]), ' ')
                                         ELSE CAST(item + 1 AS VARCHAR) END) AS own_label
    FROM parted
)
SELECT file, position, item, record_id, $table_name, ref, ref || '/' || $list || '/' || local, $class, own_label,
       object_of(CAST($iris AS VARCHAR[]), first_of(CAST($property_indexes AS BIGINT[][]), fields)), $predicate,
       squeeze(concat_ws(' ', label, $words, own_label)), source_key, valid_from, valid_to
FROM named;
