-- Grain: the watermark of a stage and scope. Followed by insert_watermark in the same transaction.
DELETE FROM graph.watermarks AS w WHERE w.dataset = $dataset AND w.stage = $stage AND w.scope = $scope;
