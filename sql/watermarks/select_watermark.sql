-- Grain: the input that a stage last consumed in a scope, one row or none.
SELECT w.fingerprint FROM graph.watermarks AS w WHERE w.dataset = $dataset AND w.stage = $stage AND w.scope = $scope;
