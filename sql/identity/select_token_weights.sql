-- Grain: one token of a field, and how much it tells in bits when two records share it: the rarer, the more, and no more than its length
-- can tell. Inputs: record_values, value_tokens. Parameters: $background, $letter_bits.
WITH sizes AS (
    SELECT count(DISTINCT record) AS records FROM record_values
), used AS (
    SELECT t.field AS field, t.token AS token, count(DISTINCT v.record) AS records
    FROM value_tokens AS t JOIN record_values AS v ON v.value = t.value GROUP BY t.field, t.token
)
SELECT u.field AS field, u.token AS token, u.records AS records,
       least(log2((s.records + $background) / u.records), length(u.token) * $letter_bits) AS bits
FROM used AS u CROSS JOIN sizes AS s
