-- Grain: a statement about a row of one source: nodes in the order of entities, then edges by place and number. Inputs: entities, edges.
WITH said AS (
    SELECT 'node' AS kind, ref AS subject, class AS predicate, NULL AS object, $source || '/' || table_name AS facet,
           '{"label":' || coalesce(CAST(to_json(label) AS VARCHAR), 'null') || ',"properties":' || properties || '}' AS value,
           mode, polarity, valid_from, valid_to, observed_at, sequence, table_name, source_key
    FROM entities WHERE problem IS NULL AND class IS NOT NULL
    UNION ALL
    SELECT 'edge', subject, predicate, object, '',
           '{"fact":' || coalesce(CAST(to_json(fact) AS VARCHAR), 'null') || ',"properties":' || properties || '}',
           mode, polarity, valid_from, valid_to, observed_at, sequence, table_name, source_key
    FROM (SELECT * FROM edges ORDER BY place, number) AS ordered
)
SELECT $dataset AS dataset, kind, subject, predicate, object, value, facet, mode, polarity, valid_from, valid_to, observed_at, sequence,
       $source AS source, table_name AS scope, 'rows' AS extractor, 1.0 AS confidence, NULL AS document_id, NULL AS chunk_id,
       NULL AS char_start, NULL AS char_end, NULL AS quote, table_name AS source_table, source_key
FROM said;
