-- Grain: a foreign key of a source.
SELECT name, table_name, columns, referenced_table, referenced_columns, origin FROM stratagraph.foreign_keys
WHERE source = $source ORDER BY table_name, columns, referenced_table, name;
