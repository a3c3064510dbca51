-- Grain: one live statement of a touched key, with the interval it claims. Input: live.
-- An event holds until the next event of its key (design section 4, rule 2); of events with one start, one is eligible (rule 3).
WITH events AS (
    SELECT number, key, statement_id, polarity, valid_from, observed, sequence, source, confidence, value_hash, object
    FROM live WHERE mode = 'event'
), starts AS (
    SELECT key, valid_from, count(*) AS events FROM events GROUP BY key, valid_from
), claims AS (
    SELECT *, lead(valid_from, 1, CAST('infinity' AS TIMESTAMPTZ)) OVER (PARTITION BY key ORDER BY valid_from) AS claim_to FROM starts
), claimed AS (
    SELECT e.*, c.claim_to AS claim_to, c.events AS events FROM events AS e
    JOIN claims AS c ON c.key = e.key AND c.valid_from = e.valid_from
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY key, valid_from ORDER BY observed DESC, sequence DESC, statement_id DESC) AS place
    FROM claimed WHERE events > 1
)
SELECT * EXCLUDE (events), FALSE AS is_period, TRUE AS eligible FROM claimed WHERE events = 1
UNION ALL
SELECT * EXCLUDE (events, place), FALSE AS is_period, place = 1 AS eligible FROM ranked
UNION ALL
SELECT number, key, statement_id, polarity, valid_from, observed, sequence, source, confidence, value_hash, object,
       valid_to AS claim_to, TRUE AS is_period, TRUE AS eligible
FROM live WHERE mode = 'period'
