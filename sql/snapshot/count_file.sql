-- Grain: one row, the number of rows of a Parquet file. Parameter: $file.
SELECT count(*) AS rows FROM read_parquet($file);
