-- Grain: one row, the transaction time of this commit: strictly later than all that mentions and chunks hold. Inputs: $now.
WITH recorded AS (
    SELECT m.recorded_from, m.recorded_to FROM graph.mentions AS m
    UNION ALL SELECT c.recorded_from, c.recorded_to FROM graph.chunks AS c
), latest AS (
    SELECT max(greatest(r.recorded_from, CASE WHEN r.recorded_to < 'infinity' THEN r.recorded_to ELSE r.recorded_from END)) AS at
    FROM recorded AS r
)
SELECT greatest(CAST($now AS TIMESTAMPTZ), coalesce(l.at + INTERVAL 1 MICROSECOND, CAST($now AS TIMESTAMPTZ))) AS instant
FROM latest AS l;
