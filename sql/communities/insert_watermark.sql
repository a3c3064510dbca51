-- Grain: one row: the fingerprint of the graph the communities are made of now. Parameters: $dataset, $fingerprint.
INSERT INTO graph.watermarks (dataset, stage, scope, fingerprint) VALUES ($dataset, 'communities', '', $fingerprint);
