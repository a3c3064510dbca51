-- Grain: one row per place that justifies a unit, in order of unit: for facts and nodes the evidence of their statements, for
-- chunks the chunk itself. Made when the database is made, since a reader would join four tables for each search.
-- Inputs: graph.units, support, statements, evidence, chunks.
CREATE TABLE graph.citations AS
    SELECT u.ordinal, v.document_id, v.chunk_id, v.char_start, v.char_end, v.quote, v.source_table, v.source_key,
           s.recorded_from, s.recorded_to
    FROM graph.units AS u
    JOIN graph.support AS p
      ON p.dataset = u.dataset AND p.row_id = u.id AND p.content_hash = u.content_hash
     AND p.kind = CASE u.kind WHEN 'fact' THEN 'edge' ELSE u.kind END
     AND p.recorded_from < u.recorded_to AND u.recorded_from < p.recorded_to
    JOIN graph.statements AS s ON s.dataset = p.dataset AND s.statement_id = p.statement_id
    JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id
    WHERE u.kind IN ('fact', 'node')
    UNION
    SELECT u.ordinal, c.document_id, c.chunk_id, c.char_start, c.char_end, NULL, NULL, NULL, c.recorded_from, c.recorded_to
    FROM graph.units AS u
    JOIN graph.chunks AS c ON c.dataset = u.dataset AND c.chunk_id = u.id AND c.recorded_from = u.recorded_from
    WHERE u.kind = 'chunk'
    ORDER BY ALL;
