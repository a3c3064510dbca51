-- Grain: a foreign key of a source that was inferred, or may be one.
SELECT name, table_name, columns, referenced_table, referenced_columns, coverage, confidence, evidence, used
FROM stratagraph.inferred_keys WHERE source = $source ORDER BY table_name, columns, referenced_table, name;
