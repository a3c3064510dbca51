-- Grain: the watermark of a stage and scope.
INSERT INTO graph.watermarks (dataset, stage, scope, fingerprint) VALUES ($dataset, $stage, $scope, $fingerprint);
