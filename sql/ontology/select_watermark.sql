-- Grain: the input a stage last consumed, one row or none. Inputs: $dataset, $stage, $scope.
SELECT w.fingerprint FROM graph.watermarks AS w WHERE w.dataset = $dataset AND w.stage = $stage AND w.scope = $scope;
