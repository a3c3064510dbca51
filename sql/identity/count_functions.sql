-- Grain: one row: whether normalise_name is registered on this connection.
SELECT count(*) AS registered FROM duckdb_functions() WHERE function_name = 'normalise_name'
