-- Grain: one row, if the landing file has its own tables.
SELECT 1 FROM duckdb_tables() WHERE database_name = current_database() AND schema_name = 'stratagraph' AND table_name = 'loads';
