-- Grain: one touched key with the first and last instant of its windows. Input: windows.
SELECT key, min(window_from) AS hull_from, max(window_to) AS hull_to FROM windows GROUP BY key
