-- Grain: a batch that was committed.
SELECT r.batch_id FROM graph.runs AS r WHERE r.dataset = $dataset
