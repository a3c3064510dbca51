-- Grain: a column of dlt's tables of one source, as they stand in the landing file.
SELECT table_name, column_name, data_type FROM duckdb_columns()
WHERE database_name = current_database() AND schema_name = $schema ORDER BY table_name, column_index;
