-- Grain: a table of a source whose columns changed once.
SELECT table_name FROM stratagraph.tables WHERE source = $source AND drifted;
