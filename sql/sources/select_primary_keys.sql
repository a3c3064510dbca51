-- Grain: the primary key of a table of a source, loaded or not.
SELECT table_name, columns FROM stratagraph.identifiers WHERE source = $source AND kind = 'primary' ORDER BY table_name;
