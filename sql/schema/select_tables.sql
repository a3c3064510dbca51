-- Grain: one table of the schema graph, by name.
SELECT table_name FROM duckdb_tables() WHERE schema_name = 'graph' AND database_name = current_database()
