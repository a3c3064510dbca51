-- Grain: a table of a source whose rows are told apart by columns that were inferred.
SELECT table_name, columns, confidence, evidence, before FROM stratagraph.inferred_identifiers
WHERE source = $source ORDER BY table_name;
