-- Grain: the watermark of a stage.
DELETE FROM graph.watermarks WHERE dataset = $dataset AND stage = $stage AND scope = '';
