-- Grain: one row believed before and a window that it overlaps or meets. Input: current_rows, windows.
SELECT c.number AS number, c.key AS key, c.valid_from AS valid_from, c.valid_to AS valid_to, c.value_key AS value_key,
       c.confidence AS confidence, w.window_from AS window_from, w.window_to AS window_to, w.prev_to AS prev_to, w.next_from AS next_from
FROM current_rows AS c JOIN windows AS w ON w.key = c.key AND c.valid_from <= w.window_to AND c.valid_to >= w.window_from
