-- Grain: one maximal valid-time segment with one value (canonical form, design section 4, rule 4), with the source of its first piece.
-- Input: {pieces}.
WITH held AS (
    SELECT key, valid_from, valid_to, value_key, confidence, number, remnant,
           lag(valid_to) OVER (PARTITION BY key ORDER BY valid_from) AS previous_to,
           lag(value_key) OVER (PARTITION BY key ORDER BY valid_from) AS previous_value,
           lead(valid_from) OVER (PARTITION BY key ORDER BY valid_from) AS next_from,
           lead(value_key) OVER (PARTITION BY key ORDER BY valid_from) AS next_value
    FROM {pieces}
), flagged AS (
    SELECT key, valid_from, valid_to, value_key, confidence, number, remnant,
           coalesce(previous_to = valid_from AND previous_value = value_key, FALSE) AS continues,
           coalesce(next_from = valid_to AND next_value = value_key, FALSE) AS continued
    FROM held
), runs AS (
    SELECT key, valid_from, valid_to, sum(CASE WHEN continues THEN 0 ELSE 1 END)
               OVER (PARTITION BY key ORDER BY valid_from ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run
    FROM flagged WHERE continues OR continued
), merged AS (
    SELECT key, min(valid_from) AS valid_from, max(valid_to) AS valid_to FROM runs GROUP BY key, run
), firsts AS (
    SELECT * FROM flagged WHERE continued AND NOT continues
)
SELECT key, valid_from, valid_to, value_key, confidence, number, remnant FROM flagged WHERE NOT continues AND NOT continued
UNION ALL
SELECT m.key, m.valid_from, m.valid_to, f.value_key, f.confidence, f.number, f.remnant
FROM merged AS m JOIN firsts AS f ON f.key = m.key AND f.valid_from = m.valid_from
