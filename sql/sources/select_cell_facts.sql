-- Grain: one row for a table of cells. Inputs: $files, its Parquet files; {facts}, macros over its columns.
SELECT {facts} FROM read_parquet($files);
