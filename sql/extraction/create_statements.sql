-- Grain: one staged statement of text. A node per entity and document (evidence: where it is named first) and per value of a data
-- property, an edge per relation. Inputs: extraction_entities, extraction_relations, $dataset, $extractor. Columns: those of
-- staging.STATEMENT_COLUMNS. A thing stands whenever it is spoken of, an event at its time; a value holds as a relation does.
CREATE OR REPLACE TEMP TABLE extraction_statements AS
WITH named AS (
    SELECT e.*, row_number() OVER (
        PARTITION BY e.document_id, e.ref, e.class
        ORDER BY e.valid_from IS NULL AND e.valid_to IS NULL, e.char_start, e.char_end, e.chunk_id, e.confidence DESC
    ) AS nth FROM extraction_entities AS e
), stated AS (
    SELECT e.*, unnest(CAST(e.attributes AS JSON[])) AS a FROM extraction_entities AS e
), valued AS (
    SELECT s.document_id, s.chunk_id, s.source, s.reference_time, s.ref, s.class, s.confidence, s.valid_to,
           coalesce(s.valid_from, s.reference_time) AS valid_from, json_extract_string(s.a, '$.facet') AS facet,
           json_extract_string(s.a, '$.property') AS property, json_extract_string(s.a, '$.value') AS value,
           json_extract_string(s.a, '$.quote') AS quote, s.chunk_start + CAST(json_extract(s.a, '$.start') AS BIGINT) AS char_start,
           s.chunk_start + CAST(json_extract(s.a, '$.end') AS BIGINT) AS char_end
    FROM stated AS s
), said_first AS (
    SELECT v.*, row_number() OVER (
        PARTITION BY v.document_id, v.ref, v.class, v.facet, v.value, v.valid_from, v.valid_to
        ORDER BY v.char_start, v.char_end, v.chunk_id, v.confidence DESC
    ) AS nth FROM valued AS v
)
SELECT $dataset AS dataset, 'node' AS kind, n.ref AS subject, n.class AS predicate, CAST(NULL AS VARCHAR) AS object,
       CAST(json_object('label', n.name, 'properties', CAST('{}' AS JSON)) AS VARCHAR) AS value,
       'text' AS facet, CASE WHEN n.valid_from IS NOT NULL AND n.valid_to IS NULL THEN 'event' ELSE 'period' END AS mode,
       'assert' AS polarity, coalesce(n.valid_from, CAST('-infinity' AS TIMESTAMPTZ)) AS valid_from,
       CASE WHEN n.valid_from IS NULL THEN coalesce(n.valid_to, CAST('infinity' AS TIMESTAMPTZ)) ELSE n.valid_to END AS valid_to,
       n.reference_time AS observed_at, CAST(0 AS BIGINT) AS sequence, n.source, n.document_id AS scope, $extractor AS extractor,
       n.confidence, n.document_id, n.chunk_id, n.char_start, n.char_end, n.surface AS quote,
       CAST(NULL AS VARCHAR) AS source_table, CAST(NULL AS VARCHAR) AS source_key
FROM named AS n WHERE n.nth = 1
UNION ALL
SELECT $dataset AS dataset, 'node' AS kind, v.ref AS subject, v.class AS predicate, CAST(NULL AS VARCHAR) AS object,
       CAST(json_object('label', CAST(NULL AS VARCHAR), 'properties', json_object(v.property, v.value)) AS VARCHAR) AS value,
       v.facet, CASE WHEN v.valid_to IS NULL THEN 'event' ELSE 'period' END AS mode, 'assert' AS polarity, v.valid_from, v.valid_to,
       v.reference_time AS observed_at, v.char_start AS sequence, v.source, v.document_id AS scope, $extractor AS extractor,
       v.confidence, v.document_id, v.chunk_id, v.char_start, v.char_end, v.quote, CAST(NULL AS VARCHAR) AS source_table,
       CAST(NULL AS VARCHAR) AS source_key
FROM said_first AS v WHERE v.nth = 1
UNION ALL
SELECT $dataset AS dataset, 'edge' AS kind, r.subject, r.predicate, r.object,
       CAST(json_object('fact', r.fact, 'properties', CAST(r.properties AS JSON)) AS VARCHAR) AS value,
       '' AS facet, CASE WHEN r.valid_to IS NULL THEN 'event' ELSE 'period' END AS mode, r.polarity, r.valid_from, r.valid_to,
       r.reference_time AS observed_at, r.char_start AS sequence, r.source, r.document_id AS scope, $extractor AS extractor,
       r.confidence, r.document_id, r.chunk_id, r.char_start, r.char_end, r.quote, CAST(NULL AS VARCHAR) AS source_table,
       CAST(NULL AS VARCHAR) AS source_key
FROM extraction_relations AS r;
