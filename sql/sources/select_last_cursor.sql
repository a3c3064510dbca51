-- Grain: how far an incremental table was loaded.
SELECT value, type FROM stratagraph.cursors WHERE source = $source AND table_name = $table AND column_name = $column;
