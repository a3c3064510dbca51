-- Grain: one scope of the stage, and what it consumed in this transaction.
INSERT INTO graph.watermarks
SELECT $dataset AS dataset, 'documents' AS stage, $scope AS scope, $fingerprint AS fingerprint;
