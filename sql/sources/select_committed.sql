-- Grain: a batch that was committed.
SELECT DISTINCT batch_id FROM graph.runs WHERE dataset = $dataset;
