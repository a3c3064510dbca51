-- Grain: one row per committed batch, latest first. Inputs: graph.runs; $known_at (instant as text).
SELECT r.recorded_at, r.stage, r.source, r.clock, r.counts
FROM graph.runs AS r
WHERE r.recorded_at <= CAST($known_at AS TIMESTAMPTZ)
ORDER BY r.recorded_at DESC, r.batch_id;
