-- Grain: one committed batch. Inputs: graph.runs, $dataset.
SELECT DISTINCT source, batch_id FROM graph.runs WHERE dataset = $dataset;
