-- Grain: as the table. Fills a table from its Parquet file. Parameter: $file.
INSERT INTO {table} BY NAME SELECT * FROM read_parquet($file);
