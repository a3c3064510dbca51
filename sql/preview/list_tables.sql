-- Grain: one row per physical table of the schema graph. Inputs: none.
SELECT t.table_name FROM duckdb_tables() AS t WHERE t.schema_name = 'graph' AND NOT t.internal ORDER BY t.table_name;
