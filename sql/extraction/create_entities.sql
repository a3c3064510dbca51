-- Grain: one place where a chunk names an entity, offsets in the document. Inputs: extraction_found, $base_iri. attributes: JSON,
-- values of data properties with offsets in the chunk, which begins at chunk_start; with the first place of each entity alone.
CREATE OR REPLACE TEMP TABLE extraction_entities AS
WITH named AS (
    SELECT f.chunk_id, f.document_id, f.source, f.char_start, f.text, f.reference_time,
           unnest(CAST(json_extract(f.resolved, '$.entities') AS JSON[])) AS e
    FROM extraction_found AS f WHERE f.resolved IS NOT NULL AND NOT f.incomplete
), typed AS (
    SELECT n.*, CAST(json_extract(n.e, '$.start') AS BIGINT) AS at, CAST(json_extract(n.e, '$.end') AS BIGINT) AS until FROM named AS n
)
SELECT t.chunk_id, t.document_id, t.source, t.reference_time, $base_iri || json_extract_string(t.e, '$.ref') AS ref,
       json_extract_string(t.e, '$.class_iri') AS class, json_extract_string(t.e, '$.name') AS name,
       CAST(json_extract_string(t.e, '$.valid_from') AS TIMESTAMPTZ) AS valid_from,
       CAST(json_extract_string(t.e, '$.valid_to') AS TIMESTAMPTZ) AS valid_to,
       CAST(json_extract(t.e, '$.confidence') AS DOUBLE) AS confidence, json_extract(t.e, '$.attributes') AS attributes,
       t.char_start AS chunk_start, t.char_start + t.at AS char_start, t.char_start + t.until AS char_end,
       array_slice(t.text, t.at + 1, t.until) AS surface
FROM typed AS t;
