-- Grain: one row per place that justifies a wanted unit, at most $limit per unit, of statements that stood at $known_at (NULL:
-- at any time). Input: graph.citations. Parameters: $ordinals, comma-separated, $known_at, $limit.
WITH said AS (
    SELECT DISTINCT c.ordinal, c.document_id, c.chunk_id, c.char_start, c.char_end, c.quote, c.source_table, c.source_key
    FROM graph.citations AS c
    JOIN (SELECT unnest(string_split($ordinals, ',')::BIGINT[]) AS ordinal) AS w ON w.ordinal = c.ordinal
    WHERE $known_at IS NULL OR (c.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < c.recorded_to)
), ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY ordinal ORDER BY document_id, char_start, source_table, source_key, quote, chunk_id
    ) AS place FROM said
)
SELECT ordinal, document_id, chunk_id, char_start, char_end, quote, source_table, source_key
FROM ranked WHERE place <= $limit ORDER BY ordinal, place;
