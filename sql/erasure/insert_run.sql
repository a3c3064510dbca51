-- Grain: the run of an erasure: that there was one, and how much went. What was erased stands nowhere in it.
INSERT INTO graph.runs (dataset, batch_id, run_id, stage, source, recorded_at, clock, counts)
SELECT $dataset, 'erasure-' || CAST(epoch_us(CAST($at AS TIMESTAMPTZ)) AS VARCHAR), $run_id, 'erasure', '', CAST($at AS TIMESTAMPTZ),
       'store', $counts
