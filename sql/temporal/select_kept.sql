-- Grain: one row before that is believed as it is from now on, with the confidence of what wins its first instant now.
-- Input: segments, current_rows.
SELECT c.number AS number, c.key AS key, c.valid_from AS valid_from, s.confidence AS confidence
FROM current_rows AS c
JOIN segments AS s ON s.key = c.key AND s.valid_from = c.valid_from AND s.valid_to = c.valid_to AND s.value_key = c.value_key
