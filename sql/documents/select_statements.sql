-- Grain: one node statement per document of a source, as it stands now. Columns: those of a staged statement.
SELECT d.dataset, 'node' AS kind, d.document_id AS subject, $class AS predicate, NULL AS object,
       CAST(json_object('label', d.title, 'properties', json_object(
           $date, strftime(d.reference_time, '%Y-%m-%dT%H:%M:%SZ'), $language, d.language, $title, d.title)) AS VARCHAR) AS value,
       'document' AS facet, 'period' AS mode, 'assert' AS polarity,
       CAST('-infinity' AS TIMESTAMPTZ) AS valid_from, CAST('infinity' AS TIMESTAMPTZ) AS valid_to, d.reference_time AS observed_at,
       0 AS sequence, $said_by AS source, d.document_id AS scope, 'documents' AS extractor, 1.0 AS confidence, d.document_id, NULL AS chunk_id,
       NULL AS char_start, NULL AS char_end, NULL AS quote, NULL AS source_table, NULL AS source_key
FROM graph.documents AS d
WHERE d.dataset = $dataset AND d.source = $source AND d.recorded_to = 'infinity'
ORDER BY d.document_id
