-- Grain: one key whose belief must be derived again, numbered. Input: keyed_arrivals, keyed_gone, keyed_moved.
-- hot: so much is said of it that its hull is derived whole, since each of its windows would be held against each of its rows.
-- hull: from the first to the last instant whose belief may change; an event is bounded by the next one, which is not known yet.
WITH changes AS (
    SELECT dataset, kind, k1, k2, k3, is_event, valid_from, valid_to, FALSE AS logged FROM keyed_arrivals
    UNION ALL
    SELECT dataset, kind, k1, k2, k3, is_event, valid_from, valid_to, TRUE FROM keyed_gone
    UNION ALL
    SELECT dataset, kind, k1, k2, k3, is_event, valid_from, valid_to, TRUE FROM keyed_moved
), keys AS (
    SELECT dataset, kind, k1, k2, k3, min(valid_from) AS hull_from, max(coalesce(valid_to, 'infinity')) AS hull_to,
           bool_or(is_event) AS by_event, bool_or(logged) AS logged, count(*) > 32 AS hot
    FROM changes GROUP BY dataset, kind, k1, k2, k3
)
SELECT row_number() OVER () AS key, dataset, kind, k1, k2, k3, hull_from, hull_to, by_event, logged, hot, FALSE AS whole FROM keys
