-- Grain: one committed batch.
INSERT INTO graph.runs (dataset, batch_id, run_id, stage, source, recorded_at, clock, counts)
VALUES ($dataset, $batch_id, $run_id, $stage, $source, CAST($recorded_at AS TIMESTAMPTZ), $clock, $counts)
