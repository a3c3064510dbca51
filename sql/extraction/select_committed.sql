-- Grain: one committed batch. A commit at two clocks writes two rows of graph.runs, the second one named `…#store`.
-- Inputs: graph.runs, $dataset.
SELECT DISTINCT source, split_part(batch_id, '#', 1) AS batch_id FROM graph.runs WHERE dataset = $dataset;
