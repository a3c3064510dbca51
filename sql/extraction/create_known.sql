-- Grain: one name of a thing of the sources that stands in a live chunk, with its class; at most $most names a chunk, the longest first.
-- Found by the first two words, then by all of them: no text is compared with a name that does not begin as it does.
-- Inputs: extraction_names, graph.chunks, $dataset, $most.
CREATE OR REPLACE TEMP TABLE extraction_known AS
WITH texts AS MATERIALIZED (
    SELECT chunk_id, name_units(text) AS units FROM graph.chunks
    WHERE dataset = $dataset AND recorded_to = 'infinity' AND EXISTS (SELECT 1 FROM extraction_names)
), places AS (
    SELECT chunk_id, unnest(units) AS one, unnest(units[2:]) AS two, generate_subscripts(units, 1) AS position FROM texts
), heads AS (
    SELECT chunk_id, position, one AS head FROM places
    UNION ALL
    SELECT chunk_id, position, one || ' ' || two FROM places WHERE two IS NOT NULL
), lengths AS (
    SELECT DISTINCT head, words FROM extraction_names
), begun AS (
    SELECT h.chunk_id, h.position, l.words FROM heads AS h JOIN lengths AS l ON l.head = h.head
), keys AS (
    SELECT DISTINCT b.chunk_id, array_to_string(t.units[b.position : b.position + b.words - 1], ' ') AS key
    FROM begun AS b JOIN texts AS t ON t.chunk_id = b.chunk_id
)
SELECT k.chunk_id, n.name, n.class AS class_iri
FROM keys AS k JOIN extraction_names AS n ON n.key = k.key
QUALIFY row_number() OVER (PARTITION BY k.chunk_id ORDER BY n.words DESC, n.name, n.class) <= $most;
