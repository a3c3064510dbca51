-- Grain: a statement of one version ($file): records, the objects of their lists, then the edges between them. Inputs: records, items.
-- sequence tells statements of one key apart by their order in the file, and moves by nothing else that the file says.
WITH objects AS (
    SELECT DISTINCT object, object_class, object_label, local FROM items WHERE file = $file AND problem IS NULL
), said AS (
    SELECT 'node' AS kind, ref AS subject, class AS predicate, NULL AS object, $source || '/record' AS facet,
           '{"label":' || coalesce(CAST(to_json(label) AS VARCHAR), 'null') || ',"properties":' || properties || '}' AS value,
           '-infinity'::TIMESTAMPTZ AS valid_from, 'infinity'::TIMESTAMPTZ AS valid_to, rank AS sequence, source_key
    FROM records WHERE file = $file AND ref IS NOT NULL
    UNION ALL
    SELECT 'node', object, object_class, NULL, $source || '/' || local,
           '{"label":' || coalesce(CAST(to_json(object_label) AS VARCHAR), 'null') || ',"properties":{}}',
           '-infinity'::TIMESTAMPTZ, 'infinity'::TIMESTAMPTZ, 0, json_object('object', local)
    FROM objects
    UNION ALL
    SELECT 'edge', subject, predicate, object, '',
           '{"fact":' || coalesce(CAST(to_json(fact) AS VARCHAR), 'null') || ',"properties":' || properties || '}', valid_from, valid_to,
           row_number() OVER (PARTITION BY subject, predicate, object ORDER BY position, item) - 1, source_key
    FROM items WHERE file = $file AND problem IS NULL
)
SELECT $dataset AS dataset, kind, subject, predicate, object, value, facet, 'period' AS mode, 'assert' AS polarity, valid_from, valid_to,
       CAST(NULL AS TIMESTAMPTZ) AS observed_at, sequence, $source AS source, 'record' AS scope, 'rows' AS extractor, 1.0 AS confidence,
       NULL AS document_id, NULL AS chunk_id, NULL AS char_start, NULL AS char_end, NULL AS quote, 'record' AS source_table, source_key
FROM said ORDER BY kind DESC, subject, predicate, object, valid_from, sequence;
