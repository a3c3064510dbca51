-- Grain: one row: this change of the communities, so that the store's next instant comes after it.
INSERT INTO graph.runs (dataset, batch_id, run_id, stage, source, recorded_at, clock, counts)
VALUES ($dataset, $batch_id, $run_id, 'communities', 'communities', $instant::TIMESTAMPTZ, 'store', $counts);
