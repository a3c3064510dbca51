-- Grain: one row: whether the statements of a dataset, and those that came or went, differ in confidence.
-- Input: graph.statements, keyed_arrivals, keyed_gone.
WITH spoken AS (
    SELECT confidence FROM graph.statements WHERE recorded_to = 'infinity' AND dataset = $dataset
    UNION ALL
    SELECT confidence FROM keyed_arrivals
    UNION ALL
    SELECT confidence FROM keyed_gone
)
SELECT coalesce(min(confidence) <> max(confidence), FALSE) AS differ FROM spoken
