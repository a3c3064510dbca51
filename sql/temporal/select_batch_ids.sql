-- Grain: one batch that was committed.
SELECT batch_id FROM graph.runs WHERE dataset = $dataset
