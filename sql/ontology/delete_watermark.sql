-- Grain: the watermark of a stage and scope. Inputs: $dataset, $stage, $scope.
DELETE FROM graph.watermarks AS w WHERE w.dataset = $dataset AND w.stage = $stage AND w.scope = $scope;
