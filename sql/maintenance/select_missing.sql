-- Grain: one table, view or macro of the old file that the new one lacks.
WITH found AS (
    SELECT database_name, schema_name, table_name AS name FROM duckdb_tables() WHERE NOT internal
    UNION ALL SELECT database_name, schema_name, view_name FROM duckdb_views() WHERE NOT internal
    UNION ALL SELECT database_name, schema_name, function_name FROM duckdb_functions() WHERE NOT internal
)
SELECT o.schema_name || '.' || o.name AS name FROM found AS o WHERE o.database_name = 'old_file'
EXCEPT SELECT n.schema_name || '.' || n.name FROM found AS n WHERE n.database_name = 'new_file'
ORDER BY name;
