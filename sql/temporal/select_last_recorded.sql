-- Grain: one row: the last transaction time of the store, and of the given source's own recorded times.
SELECT max(recorded_at) AS store_last,
       max(CASE WHEN clock = 'recorded' AND source = $source AND dataset = $dataset THEN recorded_at END) AS source_last
FROM graph.runs
