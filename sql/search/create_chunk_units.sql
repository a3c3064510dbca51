-- Grain: one row per version of a chunk. Valid from the moment it was said. `context` is found, but not shown: speaker, date
-- and title. Inputs: graph.chunks, graph.documents.
CREATE OR REPLACE TEMP VIEW chunk_units AS
    WITH titled AS (
        SELECT c.dataset, c.chunk_id, c.recorded_from, min(d.title) AS title, min(d.source) AS source
        FROM graph.chunks AS c
        JOIN graph.documents AS d ON d.dataset = c.dataset AND d.document_id = c.document_id
         AND d.recorded_from <= c.recorded_from AND c.recorded_from < d.recorded_to
        GROUP BY c.dataset, c.chunk_id, c.recorded_from
    )
    SELECT c.dataset, 0 AS kind_order, 'chunk' AS kind, c.chunk_id AS id, c.text,
           concat_ws(' ', c.speaker, strftime(c.reference_time, '%-d %B %Y %Y-%m-%d'), t.title) AS context,
           t.source, c.document_id, c.position, c.content_hash,
           NULL::VARCHAR AS subject, NULL::VARCHAR AS object,
           c.reference_time AS valid_from, 'infinity'::TIMESTAMPTZ AS valid_to, c.recorded_from, c.recorded_to
    FROM graph.chunks AS c
    LEFT JOIN titled AS t ON t.dataset = c.dataset AND t.chunk_id = c.chunk_id AND t.recorded_from = c.recorded_from;
