-- Grain: one row, how many documents and chunks stand now, and how many were opened and closed at $instant (NULL: none).
WITH recorded AS (
    SELECT 'document' AS kind, d.recorded_from, d.recorded_to FROM graph.documents AS d WHERE d.dataset = $dataset
    UNION ALL SELECT 'chunk' AS kind, c.recorded_from, c.recorded_to FROM graph.chunks AS c WHERE c.dataset = $dataset
)
SELECT count(*) FILTER (WHERE r.kind = 'document' AND r.recorded_to = 'infinity') AS documents,
       count(*) FILTER (WHERE r.kind = 'chunk' AND r.recorded_to = 'infinity') AS chunks,
       count(*) FILTER (WHERE r.kind = 'document' AND r.recorded_from = CAST($instant AS TIMESTAMPTZ)) AS documents_opened,
       count(*) FILTER (WHERE r.kind = 'document' AND r.recorded_to = CAST($instant AS TIMESTAMPTZ)) AS documents_closed,
       count(*) FILTER (WHERE r.kind = 'chunk' AND r.recorded_from = CAST($instant AS TIMESTAMPTZ)) AS chunks_opened,
       count(*) FILTER (WHERE r.kind = 'chunk' AND r.recorded_to = CAST($instant AS TIMESTAMPTZ)) AS chunks_closed,
       (SELECT count(*) FROM graph.quarantine AS q WHERE q.dataset = $dataset AND q.stage = 'documents') AS quarantined
FROM recorded AS r
