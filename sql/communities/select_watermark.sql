-- Grain: at most one row: the fingerprint of the graph the communities were made of. Parameter: $dataset.
SELECT w.fingerprint FROM graph.watermarks AS w WHERE w.dataset = $dataset AND w.stage = 'communities';
