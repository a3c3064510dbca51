-- Grain: one elementary interval of a key and the candidate that wins there. Input: islands, contests.
-- Order (design section 4, rule 3): later observed_at, a period before an event, sequence, content hash.
WITH won AS (
    SELECT key, cell_from, any_value(cell_to) AS cell_to,
           arg_max(number, {'a': observed, 'b': is_period, 'c': sequence, 'd': statement_id}) AS number
    FROM contests GROUP BY key, cell_from
)
SELECT key, valid_from, claim_to AS valid_to, number, polarity, value_hash, object, confidence FROM islands WHERE alone
UNION ALL
SELECT w.key, w.cell_from, w.cell_to, w.number, i.polarity, i.value_hash, i.object, i.confidence
FROM won AS w JOIN islands AS i ON i.number = w.number
