-- Grain: one live chunk with its source, as an engine sees it. cache_key is what the answer depends on, so an unchanged chunk is
-- never extracted twice, in whichever document it stands; known are the speakers of its conversation that it names.
-- Inputs: graph.chunks, graph.documents, $dataset, $engine (fingerprint), $ontology (content hash), $assistant_sources and
-- $assistants (parallel lists: in that source, this speaker is a machine and does not speak of itself).
CREATE OR REPLACE TEMP TABLE extraction_inputs AS
WITH assistants AS (
    SELECT unnest($assistant_sources) AS source, unnest($assistants) AS speaker
), live AS (
    SELECT c.chunk_id, c.document_id, d.source, c.position, c.char_start, c.text, c.reference_time, c.language, c.content_hash,
           CASE WHEN a.speaker IS NULL THEN nullif(trim(c.speaker), '') END AS speaker
    FROM graph.chunks AS c
    JOIN graph.documents AS d
      ON d.dataset = c.dataset AND d.document_id = c.document_id AND d.recorded_to = 'infinity'
    LEFT JOIN assistants AS a ON a.source = d.source AND a.speaker = c.speaker
    WHERE c.dataset = $dataset AND c.recorded_to = 'infinity'
), speakers AS (
    SELECT DISTINCT l.document_id, l.speaker FROM live AS l WHERE l.speaker IS NOT NULL
), known AS (
    SELECT l.chunk_id, list_sort(list(s.speaker)) AS known
    FROM live AS l JOIN speakers AS s ON s.document_id = l.document_id AND contains(l.text, s.speaker)
    GROUP BY l.chunk_id
), prepared AS (
    SELECT l.*, coalesce(k.known, CAST([] AS VARCHAR[])) AS known FROM live AS l LEFT JOIN known AS k ON k.chunk_id = l.chunk_id
)
SELECT p.*, regexp_full_match(p.text, '[\s\p{Z}\p{C}]*') AS is_empty,
       unhex(md5(CAST(json_array($engine, $ontology, p.text, epoch_us(p.reference_time), p.language, p.speaker, p.known) AS VARCHAR)))
           AS cache_key
FROM prepared AS p;
