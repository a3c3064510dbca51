-- Grain: a statement of one version ($file): records, records nested in them, the objects of their lists, then the edges between them.
-- Inputs: records, nested, items. Records of one ref are facets of one node. sequence tells edges of one key apart by their order in
-- the list, and moves by nothing else that the file says.
WITH objects AS (
    SELECT object, object_class, local, min(object_label) AS object_label FROM items
    WHERE file = $file AND problem IS NULL GROUP BY ALL
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY ref ORDER BY label, properties, valid_from, valid_to, position, item) - 1 AS rank
    FROM nested WHERE file = $file
), said AS (
    SELECT 'node' AS kind, ref AS subject, class AS predicate, NULL AS object,
           $source || '/record' || CASE WHEN rank > 0 THEN '~' || (rank + 1) ELSE '' END AS facet,
           '{"label":' || coalesce(CAST(to_json(label) AS VARCHAR), 'null') || ',"properties":' || properties || '}' AS value,
           valid_from, valid_to, 0 AS sequence, source_key
    FROM records WHERE file = $file AND problem IS NULL
    UNION ALL
    SELECT 'node', ref, class, NULL, $source || '/' || table_name || CASE WHEN rank > 0 THEN '~' || (rank + 1) ELSE '' END,
           '{"label":' || coalesce(CAST(to_json(label) AS VARCHAR), 'null') || ',"properties":' || properties || '}',
           valid_from, valid_to, 0, source_key
    FROM ranked
    UNION ALL
    SELECT 'node', object, object_class, NULL, $source || '/' || local,
           '{"label":' || coalesce(CAST(to_json(object_label) AS VARCHAR), 'null') || ',"properties":{}}',
           '-infinity'::TIMESTAMPTZ, 'infinity'::TIMESTAMPTZ, 0, json_object('object', local)
    FROM objects
    UNION ALL
    SELECT 'edge', parent, predicate, ref, '', '{"fact":' || coalesce(CAST(to_json(fact) AS VARCHAR), 'null') || ',"properties":{}}',
           valid_from, valid_to, rank, source_key
    FROM ranked
    UNION ALL
    SELECT 'edge', subject, predicate, object, '',
           '{"fact":' || coalesce(CAST(to_json(fact) AS VARCHAR), 'null') || ',"properties":' || properties || '}', valid_from, valid_to,
           row_number() OVER (PARTITION BY subject, predicate, object ORDER BY rank, item) - 1, source_key
    FROM items WHERE file = $file AND problem IS NULL
)
SELECT $dataset AS dataset, kind, subject, predicate, object, value, facet, 'period' AS mode, 'assert' AS polarity, valid_from, valid_to,
       CAST(NULL AS TIMESTAMPTZ) AS observed_at, sequence, $source AS source, 'record' AS scope, 'rows' AS extractor, 1.0 AS confidence,
       NULL AS document_id, NULL AS chunk_id, NULL AS char_start, NULL AS char_end, NULL AS quote, 'record' AS source_table, source_key
FROM said ORDER BY kind DESC, subject, predicate, object, valid_from, sequence, facet;
