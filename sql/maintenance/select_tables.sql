-- Grain: one table of the old file.
SELECT t.schema_name AS schema_name, t.table_name AS table_name FROM duckdb_tables() AS t
WHERE t.database_name = 'old_file' AND NOT t.internal ORDER BY t.schema_name, t.table_name;
