-- Grain: one row: how many sources contend for one window at most. Input: candidates.
SELECT coalesce(max(sources), 0) AS sources FROM (SELECT count(DISTINCT source) AS sources FROM candidates GROUP BY slot)
