-- Grain: one row: the greater of two values of a cursor, as text. Input: {type}, of DuckDB, as the catalog says it.
SELECT CAST(greatest(CAST($one AS {type}), CAST($other AS {type})) AS VARCHAR);
