-- Grain: one live chunk with its source, as an engine sees it. cache_key is what the answer depends on, so an unchanged chunk is
-- never extracted twice, in whichever document it stands; known are the speakers of its conversation and the things of the sources
-- that it names; topic is its document's title. $whole_key: the answer depends on all of that; else (an engine that is paid for) a
-- new customer changes no key, and the names of the speakers are the only part of it.
-- Inputs: graph.chunks, graph.documents, extraction_known, $dataset, $engine (fingerprint), $ontology (content hash), $assistant_sources
-- and $assistants (parallel lists: in that source, this speaker is a machine and does not speak of itself).
CREATE OR REPLACE TEMP TABLE extraction_inputs AS
WITH assistants AS (
    SELECT unnest($assistant_sources) AS source, unnest($assistants) AS speaker
), live AS (
    SELECT c.chunk_id, c.document_id, d.source, c.position, c.char_start, c.text, c.reference_time, c.language, c.content_hash,
           CASE WHEN NOT contains(d.path, d.title) THEN nullif(trim(d.title), '') END AS topic,
           CASE WHEN a.speaker IS NULL THEN nullif(trim(c.speaker), '') END AS speaker
    FROM graph.chunks AS c
    JOIN graph.documents AS d
      ON d.dataset = c.dataset AND d.document_id = c.document_id AND d.recorded_to = 'infinity'
    LEFT JOIN assistants AS a ON a.source = d.source AND a.speaker = c.speaker
    WHERE c.dataset = $dataset AND c.recorded_to = 'infinity'
), speakers AS (
    SELECT DISTINCT l.document_id, l.speaker FROM live AS l WHERE l.speaker IS NOT NULL
), named AS (
    SELECT l.chunk_id, s.speaker AS name, CAST(NULL AS VARCHAR) AS class_iri
    FROM live AS l JOIN speakers AS s ON s.document_id = l.document_id AND contains(l.text, s.speaker)
    UNION ALL
    SELECT k.chunk_id, k.name, k.class_iri FROM extraction_known AS k
), known AS (
    SELECT chunk_id, list_sort(list({'name': name, 'class_iri': class_iri})) AS known,
           coalesce(list_sort(list(name) FILTER (WHERE class_iri IS NULL)), []) AS speakers
    FROM named GROUP BY chunk_id
), prepared AS (
    SELECT l.*, coalesce(k.known, []) AS known, coalesce(k.speakers, []) AS speakers
    FROM live AS l LEFT JOIN known AS k ON k.chunk_id = l.chunk_id
)
SELECT p.* EXCLUDE (speakers), regexp_full_match(p.text, '[\s\p{Z}\p{C}]*') AS is_empty,
       unhex(md5(CAST(json_array($engine, $ontology, p.text, epoch_us(p.reference_time), p.language, p.speaker,
           CASE WHEN $whole_key THEN to_json([to_json(p.known), to_json(p.topic)]) ELSE to_json(p.speakers) END) AS VARCHAR)))
           AS cache_key
FROM prepared AS p;
