-- Grain: one row: whether any row of a table may have more than one state in the log.
SELECT coalesce(max(loaded_at) > min(loaded_at), FALSE) FROM stratagraph.rows WHERE source = $source AND table_name = $table;
