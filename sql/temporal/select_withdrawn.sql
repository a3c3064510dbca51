-- Grain: one live statement of the batch's source that a complete batch no longer makes. Input: normalised, graph.statements.
WITH live AS (
    SELECT * FROM graph.statements WHERE recorded_to = 'infinity' AND dataset = $dataset AND source = $source
), said AS (
    SELECT DISTINCT dataset, statement_id FROM normalised WHERE reason IS NULL
)
SELECT l.* FROM live AS l
LEFT JOIN said AS s ON s.dataset = l.dataset AND s.statement_id = l.statement_id
WHERE s.statement_id IS NULL
