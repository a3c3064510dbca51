-- Grain: one row: what is held for one thing now, by what was decided. Input: graph.identity_candidates. Parameter: $dataset.
SELECT count(*) FILTER (decision = 'open') AS open, count(*) FILTER (decision = 'merge') AS merge, count(*) FILTER (decision = 'apart') AS apart
FROM graph.identity_candidates WHERE dataset = $dataset AND recorded_to = 'infinity'
