-- Grain: one maximal valid-time segment with one value (canonical form, design section 4, rule 4). Input: winners.
WITH held AS (
    SELECT *, lag(valid_to) OVER in_order AS previous_to, lag(value_hash) OVER in_order AS previous_hash,
           lag(object) OVER in_order AS previous_object,
           lead(valid_from) OVER in_order AS next_from, lead(value_hash) OVER in_order AS next_hash,
           lead(object) OVER in_order AS next_object
    FROM winners WHERE polarity = 'assert'
    WINDOW in_order AS (PARTITION BY key ORDER BY valid_from)
), flagged AS (
    SELECT key, valid_from, valid_to, number, value_hash, object, confidence,
           coalesce(previous_to = valid_from AND previous_hash = value_hash AND previous_object IS NOT DISTINCT FROM object, FALSE) AS continues,
           coalesce(next_from = valid_to AND next_hash = value_hash AND next_object IS NOT DISTINCT FROM object, FALSE) AS continued
    FROM held
), runs AS (
    SELECT *, sum(CASE WHEN continues THEN 0 ELSE 1 END) OVER (PARTITION BY key ORDER BY valid_from) AS run
    FROM flagged WHERE continues OR continued
)
SELECT key, valid_from, valid_to, number, value_hash, object, confidence FROM flagged WHERE NOT continues AND NOT continued
UNION ALL
SELECT key, min(valid_from), max(valid_to), min(number), any_value(value_hash), any_value(object), max(confidence)
FROM runs GROUP BY key, run
