-- Grain: one row: what the live log of a dataset could hold against a batch. Input: graph.statements, keyed_arrivals.
-- others: whether another source than the batch's speaks; later: whether all of the batch was observed after all of the log.
WITH live AS (
    SELECT observed_at, recorded_from, source FROM graph.statements WHERE recorded_to = 'infinity' AND dataset = $dataset
), summary AS (
    SELECT max(coalesce(observed_at, recorded_from)) AS last_observed, coalesce(bool_or(source <> $source), FALSE) AS others FROM live
), batch AS (
    SELECT min(observed_at) AS first_observed FROM keyed_arrivals
)
SELECT s.others AS others,
       coalesce(s.last_observed < least(b.first_observed, CAST($recorded_at AS TIMESTAMPTZ)), s.last_observed IS NULL) AS later
FROM summary AS s CROSS JOIN batch AS b
