-- Grain: one row: what the live log of a dataset could hold against a batch. Input: graph.statements, keyed_arrivals.
-- last_observed: the latest observation; others: whether another source than the batch's speaks; events: whether any event is known.
WITH live AS (
    SELECT observed_at, recorded_from, source, mode FROM graph.statements WHERE recorded_to = 'infinity' AND dataset = $dataset
), summary AS (
    SELECT max(coalesce(observed_at, recorded_from)) AS last_observed, coalesce(bool_or(source <> $source), FALSE) AS others,
           coalesce(bool_or(mode = 'event'), FALSE) AS events
    FROM live
), batch AS (
    SELECT coalesce(bool_and(observed_at IS NULL), TRUE) AS undated, min(observed_at) AS first_observed,
           coalesce(bool_or(is_event), FALSE) AS brings_events
    FROM keyed_arrivals
)
SELECT s.others AS others, s.events AS events, b.brings_events AS brings_events,
       coalesce(s.last_observed < least(b.first_observed, CAST($recorded_at AS TIMESTAMPTZ)), s.last_observed IS NULL) AS later
FROM summary AS s CROSS JOIN batch AS b
