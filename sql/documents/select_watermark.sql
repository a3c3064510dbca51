-- Grain: the fingerprint a stage last consumed in a scope, none if it never ran.
SELECT fingerprint FROM graph.watermarks WHERE dataset = $dataset AND stage = 'documents' AND scope = $scope
