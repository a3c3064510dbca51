-- Grain: one statement of the log in a window that its claim reaches. A denial's has its end.
-- Input: live, event_starts, windows.
WITH bounded AS (
    SELECT number, key, valid_from, valid_to AS claim_to, observed, source FROM live WHERE number < 0 AND valid_to IS NOT NULL
), events AS (
    SELECT * FROM live WHERE number < 0 AND valid_to IS NULL
), claimed AS (
    SELECT * FROM bounded
    UNION ALL
    SELECT e.number, e.key, e.valid_from, s.claim_to, e.observed, e.source
    FROM events AS e JOIN event_starts AS s ON s.key = e.key AND s.valid_from = e.valid_from
)
SELECT c.number AS number, w.slot AS slot, c.observed AS observed, c.source AS source, greatest(c.valid_from, w.window_from) AS claim_from,
       least(c.claim_to, w.window_to) AS claim_to
FROM claimed AS c JOIN windows AS w ON w.key = c.key AND c.valid_from < w.window_to AND w.window_from < c.claim_to
