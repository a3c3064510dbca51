-- Grain: a row or file that the last load of a source could not read.
INSERT INTO problems
SELECT reason, detail, payload, location, $source || '/' || table_name FROM stratagraph.refused WHERE source = $source;
