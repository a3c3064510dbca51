-- Grain: one block that a record stands in: only records of one block are compared. What two of one thing have in common: a word of the
-- name, or its consonants; two words that are frequent alone; a value; a value or a neighbour together with how a name begins.
-- Inputs: record_values, value_tokens, token_weights. Parameter: $block_size.
WITH name_tokens AS (
    SELECT DISTINCT v.record AS record, t.token AS token, w.records AS records
    FROM record_values AS v
    JOIN value_tokens AS t ON t.value = v.value
    JOIN token_weights AS w ON w.field = t.field AND w.token = t.token
    WHERE v.form = 'name'
), beginnings AS (
    SELECT DISTINCT record, left(token, 1) AS beginning FROM name_tokens
), said AS (
    SELECT record, CAST(to_json([field, text]) AS VARCHAR) AS content, form FROM record_values
    WHERE form <> 'name' AND (form = 'ref' OR length(text) > 1)
)
SELECT record, 'word ' || token AS block FROM name_tokens
UNION
SELECT record, 'sound ' || left(token, 1) || regexp_replace(substr(token, 2), '[aeiouyhw]', '', 'g')
FROM name_tokens WHERE length(token) > 3
UNION
SELECT x.record, 'words ' || x.token || ' ' || y.token FROM name_tokens AS x JOIN name_tokens AS y ON y.record = x.record
WHERE x.token < y.token AND x.records > $block_size AND y.records > $block_size
UNION
SELECT record, 'value ' || content FROM said WHERE form <> 'ref'
UNION
SELECT s.record, 'begins ' || b.beginning || ' ' || s.content FROM said AS s JOIN beginnings AS b ON b.record = s.record
