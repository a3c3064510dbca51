-- Grain: the watermark of a stage and scope. Inputs: $dataset, $stage, $scope, $fingerprint.
INSERT INTO graph.watermarks (dataset, stage, scope, fingerprint) VALUES ($dataset, $stage, $scope, $fingerprint);
