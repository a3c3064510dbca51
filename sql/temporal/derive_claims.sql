-- Grain: one claim that holds from now on: an asserting statement, the row it speaks of, and from when to when it does.
-- Input: live, keyed_arrivals, log, affected, touched, event_starts.
WITH speaking AS (
    SELECT l.number, l.key, l.is_event, l.valid_from, l.valid_to, a.row_id, a.value_hash, l.statement_id
    FROM live AS l JOIN keyed_arrivals AS a ON a.number = l.number WHERE l.asserts
    UNION ALL
    SELECT l.number, l.key, l.is_event, l.valid_from, l.valid_to, l.row_id, l.value_hash, l.statement_id
    FROM log AS l JOIN affected AS a ON a.statement_id = l.statement_id WHERE l.asserts
), periods AS (
    SELECT * FROM speaking WHERE NOT is_event
), events AS (
    SELECT * FROM speaking WHERE is_event
), bounded AS (
    SELECT key, valid_from, valid_to, row_id, value_hash, statement_id FROM periods
    UNION ALL
    SELECT e.key, e.valid_from, s.claim_to, e.row_id, e.value_hash, e.statement_id
    FROM events AS e JOIN event_starts AS s ON s.key = e.key AND s.valid_from = e.valid_from
)
SELECT t.dataset AS dataset, t.kind AS kind, b.row_id AS row_id, CASE t.kind WHEN 'node' THEN t.k2 ELSE '' END AS facet,
       b.value_hash AS value_hash, b.statement_id AS statement_id, b.valid_from AS valid_from, b.valid_to AS valid_to, t.key_at AS key_at
FROM bounded AS b JOIN touched AS t ON t.key = b.key
