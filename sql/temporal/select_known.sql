-- Grain: one statement of the batch that the log holds already, live. Input: normalised, graph.statements.
WITH live AS (
    SELECT dataset, statement_id, recorded_from FROM graph.statements WHERE recorded_to = 'infinity'
)
SELECT n.number AS number, l.recorded_from AS recorded_from
FROM live AS l JOIN normalised AS n ON n.statement_id = l.statement_id AND n.dataset = l.dataset
WHERE n.reason IS NULL
