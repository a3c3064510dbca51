-- Grain: one piece of what is believed from now on, around and in the windows: what is left of the rows before, and what won.
-- number: the statement whose value it has, or NULL; remnant: the row before whose value it has, or NULL. Input: meetings, winners.
SELECT key, valid_from, valid_to, value_key, confidence, number, CAST(NULL AS BIGINT) AS remnant FROM winners WHERE asserts
UNION ALL
SELECT key, greatest(valid_from, coalesce(prev_to, valid_from)), least(valid_to, window_from), value_key, confidence, NULL, number
FROM meetings WHERE valid_from < window_from AND coalesce(prev_to < window_from, TRUE)
UNION ALL
SELECT key, greatest(valid_from, window_to), valid_to, value_key, confidence, NULL, number
FROM meetings WHERE valid_to > window_to AND coalesce(valid_to < next_from, TRUE)
