-- Grain: a table of a source that was loaded once.
SELECT table_name, path, mode FROM stratagraph.tables WHERE source = $source ORDER BY table_name;
