-- Grain: one stretch of a window with the statement that wins there (design section 4, rule 3: later observed_at, a period before an event,
-- sequence, content hash; the order of `place`). Input: windows, open_slots, live, opinions, cells, candidates.
WITH alone AS (
    SELECT w.slot, w.key, w.window_from, w.window_to, w.number FROM windows AS w LEFT JOIN open_slots AS o ON o.slot = w.slot
    WHERE w.arrivals = 1 AND o.slot IS NULL
), won AS (
    SELECT slot, cell, max(highest) AS place FROM opinions GROUP BY slot, cell
)
SELECT a.slot AS slot, CAST(NULL AS BIGINT) AS cell, CAST(NULL AS BIGINT) AS place, a.key AS key, a.window_from AS valid_from,
       a.window_to AS valid_to, a.number AS number, c.asserts AS asserts, c.value_key AS value_key, c.confidence AS confidence
FROM alone AS a JOIN live AS c ON c.number = a.number
UNION ALL
SELECT w.slot, w.cell, w.place, c.key, e.cell_from, e.cell_to, c.number, c.asserts, c.value_key, c.confidence
FROM won AS w
JOIN cells AS e ON e.slot = w.slot AND e.cell = w.cell
JOIN candidates AS c ON c.place = w.place
