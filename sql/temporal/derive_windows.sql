-- Grain: one maximal stretch of valid time of a touched key in which belief may change: the union of the claims of what changed; for a hot
-- key all between the first and the last of them. Outside of it belief is as it was. prev_to and next_from: the neighbouring windows of
-- the key. Input: live, departures, event_starts, touched.
WITH changes AS (
    SELECT key, is_event, valid_from, valid_to, 1 AS arrivals, 0 AS departures, number, observed FROM live WHERE number > 0
    UNION ALL
    SELECT key, is_event, valid_from, valid_to, 0, 1, 0, NULL FROM departures
), periods AS (
    SELECT key, valid_from, valid_to, arrivals, departures, number, observed FROM changes WHERE NOT is_event
), events AS (
    SELECT * FROM changes WHERE is_event
), bounded AS (
    SELECT * FROM periods
    UNION ALL
    SELECT c.key, c.valid_from, e.change_to, c.arrivals, c.departures, c.number, c.observed
    FROM events AS c JOIN event_starts AS e ON e.key = c.key AND e.valid_from = c.valid_from
), hot AS (
    SELECT key FROM touched WHERE hot
), cool AS (
    SELECT b.* FROM bounded AS b LEFT JOIN hot AS h ON h.key = b.key WHERE h.key IS NULL
), reached AS (
    SELECT *, max(valid_to) OVER (PARTITION BY key ORDER BY valid_from, valid_to ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
    FROM cool
), flagged AS (
    SELECT *, CASE WHEN reach >= valid_from THEN 0 ELSE 1 END AS begins FROM reached
), islands AS (
    -- a frame by range, so that changes with the same bounds share an island
    SELECT *, sum(begins) OVER (PARTITION BY key ORDER BY valid_from, valid_to RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS island
    FROM flagged
), windows AS (
    SELECT key, min(valid_from) AS window_from, max(valid_to) AS window_to, sum(arrivals) AS arrivals, sum(departures) AS departures,
           max(number) AS number, min(observed) AS first_observed
    FROM islands GROUP BY key, island
    UNION ALL
    -- counted as a departure, because in the gaps between its claims what is known matters
    SELECT b.key, min(b.valid_from), max(b.valid_to), sum(b.arrivals), sum(b.departures) + 1, max(b.number), min(b.observed)
    FROM bounded AS b JOIN hot AS h ON h.key = b.key GROUP BY b.key
)
SELECT row_number() OVER () AS slot, key, window_from, window_to, arrivals, departures, number, first_observed,
       lag(window_to) OVER (PARTITION BY key ORDER BY window_from) AS prev_to,
       lead(window_from) OVER (PARTITION BY key ORDER BY window_from) AS next_from
FROM windows
