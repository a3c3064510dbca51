-- Grain: one row per place that justifies a wanted fact or node unit, at most $limit per unit, statements that still stood at
-- $known_at (NULL: at any time) while the unit was believed. Inputs: graph.units, support, statements, evidence, chunks.
WITH wanted AS (
    SELECT u.* FROM graph.units AS u JOIN (SELECT unnest($ordinals::BIGINT[]) AS ordinal) AS w ON w.ordinal = u.ordinal
), said AS (
    SELECT DISTINCT w.ordinal, v.document_id, v.chunk_id, v.char_start, v.char_end, v.quote, v.source_table, v.source_key
    FROM wanted AS w
    JOIN graph.support AS p
      ON p.dataset = w.dataset AND p.row_id = w.id AND p.content_hash = w.content_hash
     AND p.kind = CASE w.kind WHEN 'fact' THEN 'edge' ELSE w.kind END
     AND p.recorded_from < w.recorded_to AND w.recorded_from < p.recorded_to
    JOIN graph.statements AS s ON s.dataset = p.dataset AND s.statement_id = p.statement_id
    JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id
    WHERE w.kind IN ('fact', 'node')
      AND ($known_at IS NULL OR (s.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < s.recorded_to))
    UNION ALL
    SELECT w.ordinal, c.document_id, c.chunk_id, c.char_start, c.char_end, NULL, NULL, NULL
    FROM wanted AS w
    JOIN graph.chunks AS c ON c.dataset = w.dataset AND c.chunk_id = w.id AND c.recorded_from = w.recorded_from
    WHERE w.kind = 'chunk'
), ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY ordinal ORDER BY document_id, char_start, source_table, source_key, quote, chunk_id
    ) AS place FROM said
)
SELECT ordinal, document_id, chunk_id, char_start, char_end, quote, source_table, source_key
FROM ranked WHERE place <= $limit ORDER BY ordinal, place;
