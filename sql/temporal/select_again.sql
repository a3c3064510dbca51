-- Grain: one live statement that a batch makes again, word for word and without a time of observation, in a store that has heard more since.
-- Input: normalised, known, graph.statements.
WITH live AS (
    SELECT * FROM graph.statements WHERE recorded_to = 'infinity'
), newest AS (
    SELECT dataset, max(recorded_from) AS recorded_from FROM live GROUP BY dataset
), again AS (
    SELECT n.dataset, n.statement_id
    FROM known AS k
    JOIN normalised AS n ON n.number = k.number
    JOIN newest AS w ON w.dataset = n.dataset
    WHERE n.observed_at IS NULL AND k.recorded_from < w.recorded_from
)
SELECT l.* FROM live AS l JOIN again AS a ON a.statement_id = l.statement_id AND a.dataset = l.dataset
