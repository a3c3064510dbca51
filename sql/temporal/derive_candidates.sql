-- Grain: one claim in a window where more than one statement may win. Input: live, event_starts, windows, rivals, open_slots.
WITH several AS (
    SELECT w.slot, w.key, w.window_from, w.window_to FROM windows AS w LEFT JOIN open_slots AS o ON o.slot = w.slot
    WHERE w.arrivals > 1 OR o.slot IS NOT NULL
), arrived AS (
    SELECT * FROM live WHERE number > 0
), periods AS (
    SELECT number, key, valid_from, valid_to AS claim_to FROM arrived WHERE NOT is_event
), events AS (
    SELECT * FROM arrived WHERE is_event
), claimed AS (
    SELECT * FROM periods
    UNION ALL
    SELECT e.number, e.key, e.valid_from, s.claim_to
    FROM events AS e JOIN event_starts AS s ON s.key = e.key AND s.valid_from = e.valid_from
), contenders AS (
    SELECT c.number, s.slot, c.valid_from AS claim_from, least(c.claim_to, s.window_to) AS claim_to
    FROM claimed AS c JOIN several AS s ON s.key = c.key AND c.valid_from >= s.window_from AND c.valid_from < s.window_to
    UNION ALL
    SELECT r.number, r.slot, r.claim_from, r.claim_to FROM rivals AS r JOIN open_slots AS o ON o.slot = r.slot
), ranked AS (
    SELECT c.number, c.slot, c.claim_from, c.claim_to, a.key, a.source, a.asserts, a.value_key, a.confidence, a.statement_id, a.observed,
           a.is_event, a.sequence,
           row_number() OVER (ORDER BY a.observed, a.is_event DESC, a.sequence, a.statement_id, c.slot) AS place
    FROM contenders AS c JOIN live AS a ON a.number = c.number
)
SELECT * FROM ranked
