-- Grain: one window in which arrivals do not simply prevail: something left, or the log holds a claim that was observed as late, or one of
-- another source. Input: windows, rivals.
WITH strongest AS (
    SELECT slot, max(observed) AS last_observed, bool_or(source <> $source) AS others FROM rivals GROUP BY slot
)
SELECT w.slot AS slot FROM windows AS w LEFT JOIN strongest AS r ON r.slot = w.slot
WHERE w.departures > 0 OR coalesce(r.others, FALSE) OR coalesce(r.last_observed >= w.first_observed, FALSE)
