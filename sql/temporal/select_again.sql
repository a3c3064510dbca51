-- Grain: one live statement that a batch makes again, word for word and without a time of observation.
-- Input: normalised, known, graph.statements.
WITH live AS (
    SELECT * FROM graph.statements WHERE recorded_to = 'infinity'
), again AS (
    SELECT n.dataset, n.statement_id FROM known AS k JOIN normalised AS n ON n.number = k.number WHERE n.observed_at IS NULL
)
SELECT l.* FROM live AS l JOIN (SELECT DISTINCT * FROM again) AS a ON a.statement_id = l.statement_id AND a.dataset = l.dataset
