-- Grain: one row for a table of cells. Inputs: $files, its Parquet files; {facts}, macros over its columns; $first, how many rows are asked.
SELECT {facts} FROM (SELECT * FROM read_parquet($files) LIMIT $first);
