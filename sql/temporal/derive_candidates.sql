-- Grain: one live statement of a touched key, with the interval it claims. Input: live.
-- An event holds until the next event of its key (design section 4, rule 2); of events with one start, one is eligible (rule 3).
WITH events AS (
    SELECT *, row_number() OVER (
        PARTITION BY dataset, key_kind, k1, k2, k3, valid_from ORDER BY observed DESC, sequence DESC, statement_id DESC) AS place
    FROM live WHERE mode = 'event'
), starts AS (
    SELECT DISTINCT dataset, key_kind, k1, k2, k3, valid_from FROM events
), claims AS (
    SELECT *, lead(valid_from, 1, CAST('infinity' AS TIMESTAMPTZ)) OVER (
        PARTITION BY dataset, key_kind, k1, k2, k3 ORDER BY valid_from) AS claim_to
    FROM starts
)
SELECT e.* EXCLUDE (place, valid_to), c.claim_to AS claim_to, FALSE AS is_period, e.place = 1 AS eligible
FROM events AS e
JOIN claims AS c ON c.dataset = e.dataset AND c.key_kind = e.key_kind AND c.k1 = e.k1 AND c.k2 = e.k2 AND c.k3 = e.k3
    AND c.valid_from = e.valid_from
UNION ALL
SELECT * EXCLUDE (valid_to), valid_to AS claim_to, TRUE AS is_period, TRUE AS eligible FROM live WHERE mode = 'period'
