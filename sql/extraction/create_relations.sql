-- Grain: one relation a document states, at its first place, offsets in the document. Inputs: extraction_found, $base_iri.
-- A document that says the same twice says it once.
CREATE OR REPLACE TEMP TABLE extraction_relations AS
WITH stated AS (
    SELECT f.chunk_id, f.document_id, f.source, f.position, f.char_start, f.text, f.reference_time,
           unnest(CAST(json_extract(f.resolved, '$.relations') AS JSON[])) AS r
    FROM extraction_found AS f WHERE f.resolved IS NOT NULL AND NOT f.incomplete
), typed AS (
    SELECT s.chunk_id, s.document_id, s.source, s.position, s.reference_time, s.char_start AS chunk_start, s.text,
           $base_iri || json_extract_string(s.r, '$.subject') AS subject, json_extract_string(s.r, '$.predicate') AS predicate,
           $base_iri || json_extract_string(s.r, '$.object') AS object, json_extract_string(s.r, '$.fact') AS fact,
           json_extract_string(s.r, '$.polarity') AS polarity,
           coalesce(CAST(json_extract_string(s.r, '$.valid_from') AS TIMESTAMPTZ), s.reference_time) AS valid_from,
           CAST(json_extract_string(s.r, '$.valid_to') AS TIMESTAMPTZ) AS valid_to,
           CAST(json_extract(s.r, '$.start') AS BIGINT) AS at, CAST(json_extract(s.r, '$.end') AS BIGINT) AS until,
           json_extract_string(s.r, '$.properties') AS properties, CAST(json_extract(s.r, '$.confidence') AS DOUBLE) AS confidence
    FROM stated AS s
), ranked AS (
    SELECT t.*, row_number() OVER (
        PARTITION BY t.document_id, t.subject, t.predicate, t.object, t.polarity, t.valid_from, t.valid_to
        ORDER BY t.position, t.at, t.fact
    ) AS nth FROM typed AS t
)
SELECT k.chunk_id, k.document_id, k.source, k.reference_time, k.subject, k.predicate, k.object, k.fact, k.polarity, k.valid_from,
       k.valid_to, k.chunk_start + k.at AS char_start, k.chunk_start + k.until AS char_end,
       array_slice(k.text, k.at + 1, k.until) AS quote, k.properties, k.confidence
FROM ranked AS k WHERE k.nth = 1;
