-- Grain: the input that a stage last consumed.
SELECT fingerprint FROM graph.watermarks WHERE dataset = $dataset AND stage = $stage AND scope = '';
