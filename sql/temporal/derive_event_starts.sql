-- Grain: one instant at which an event of a touched key begins. An event holds until the next one (design section 4, rule 2).
-- claim_to: where the next live event begins; change_to: where the next one begins that is, or was until now, live. Input: {live}, departures.
WITH events AS (
    SELECT key, valid_from, 1 AS held FROM {live} WHERE is_event
    UNION ALL
    SELECT key, valid_from, 0 FROM departures WHERE is_event AND NOT stays
), starts AS (
    SELECT key, valid_from, max(held) AS held FROM events GROUP BY key, valid_from
)
SELECT key, valid_from,
       coalesce(min(CASE WHEN held = 1 THEN valid_from END)
                OVER (PARTITION BY key ORDER BY valid_from ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 'infinity') AS claim_to,
       lead(valid_from, 1, 'infinity') OVER (PARTITION BY key ORDER BY valid_from) AS change_to
FROM starts
