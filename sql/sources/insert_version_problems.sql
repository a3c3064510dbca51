-- Grain: a version of a recorded source that was refused as a whole.
INSERT INTO problems
SELECT reason, detail, payload, $source || '/' || file, $scope FROM stratagraph.versions WHERE source = $source AND state = 'refused';
