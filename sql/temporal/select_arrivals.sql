-- Grain: one new statement. Input: normalised, withdrawn, graph.statements. What is live already, or said twice in the batch, is left out.
WITH ending AS (
    SELECT dataset, statement_id FROM withdrawn
), live AS (
    SELECT s.dataset, s.statement_id FROM graph.statements AS s
    LEFT JOIN ending AS e ON e.dataset = s.dataset AND e.statement_id = s.statement_id
    WHERE s.recorded_to = 'infinity' AND e.statement_id IS NULL
), valid AS (
    SELECT *, row_number() OVER (PARTITION BY dataset, statement_id ORDER BY confidence DESC, extractor) AS copy
    FROM normalised WHERE reason IS NULL AND (valid_to IS NULL OR valid_from < valid_to) AND valid_from < 'infinity'
), firsts AS (
    SELECT * FROM valid WHERE copy = 1
)
SELECT f.* FROM firsts AS f
LEFT JOIN live AS l ON l.dataset = f.dataset AND l.statement_id = f.statement_id
WHERE l.statement_id IS NULL
