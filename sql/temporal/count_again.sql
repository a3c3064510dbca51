-- Grain: one row: how many statements of the batch are known and undated, and how many of them are older than the last the store heard.
-- Input: normalised, known, graph.statements.
WITH newest AS (
    SELECT dataset, max(recorded_from) AS recorded_from FROM graph.statements WHERE recorded_to = 'infinity' GROUP BY dataset
)
SELECT count(*) AS known, count(*) FILTER (WHERE k.recorded_from < w.recorded_from) AS older
FROM known AS k
JOIN normalised AS n ON n.number = k.number
JOIN newest AS w ON w.dataset = n.dataset
WHERE n.observed_at IS NULL
