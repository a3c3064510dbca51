-- Grain: what is in the quarantine under one scope.
SELECT lower(hex(quarantine_id)) FROM graph.quarantine WHERE dataset = $dataset AND stage = $stage AND scope = $scope ORDER BY ALL;
