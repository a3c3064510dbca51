-- Grain: one scope of the stage. Followed by insert_watermark in the same transaction.
DELETE FROM graph.watermarks WHERE dataset = $dataset AND stage = 'documents' AND scope = $scope;
