-- Grain: one row: a value that was kept as text, in its own type again. Input: {type}, of DuckDB, as the catalog says it.
SELECT CAST($value AS {type});
