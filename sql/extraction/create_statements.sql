-- Grain: one staged statement of text: a node per entity and document (evidence: where it is named first), an edge per relation.
-- Inputs: extraction_entities, extraction_relations, $dataset, $extractor. Columns: those of staging.STATEMENT_COLUMNS.
CREATE OR REPLACE TEMP TABLE extraction_statements AS
WITH named AS (
    SELECT e.*, row_number() OVER (PARTITION BY e.document_id, e.ref, e.class ORDER BY e.char_start, e.char_end, e.chunk_id) AS nth
    FROM extraction_entities AS e
)
SELECT $dataset AS dataset, 'node' AS kind, n.ref AS subject, n.class AS predicate, CAST(NULL AS VARCHAR) AS object,
       CAST(json_object('label', n.name, 'properties', CAST(n.properties AS JSON)) AS VARCHAR) AS value,
       'text' AS facet, 'period' AS mode, 'assert' AS polarity, CAST('-infinity' AS TIMESTAMPTZ) AS valid_from,
       CAST('infinity' AS TIMESTAMPTZ) AS valid_to, n.reference_time AS observed_at, CAST(0 AS BIGINT) AS sequence, n.source,
       n.document_id AS scope, $extractor AS extractor, CAST(1.0 AS DOUBLE) AS confidence, n.document_id, n.chunk_id, n.char_start,
       n.char_end, n.surface AS quote, CAST(NULL AS VARCHAR) AS source_table, CAST(NULL AS VARCHAR) AS source_key
FROM named AS n WHERE n.nth = 1
UNION ALL
SELECT $dataset AS dataset, 'edge' AS kind, r.subject, r.predicate, r.object,
       CAST(json_object('fact', r.fact, 'properties', CAST(r.properties AS JSON)) AS VARCHAR) AS value,
       '' AS facet, CASE WHEN r.valid_to IS NULL THEN 'event' ELSE 'period' END AS mode, r.polarity, r.valid_from, r.valid_to,
       r.reference_time AS observed_at, r.char_start AS sequence, r.source, r.document_id AS scope, $extractor AS extractor,
       r.confidence, r.document_id, r.chunk_id, r.char_start, r.char_end, r.quote, CAST(NULL AS VARCHAR) AS source_table,
       CAST(NULL AS VARCHAR) AS source_key
FROM extraction_relations AS r;
