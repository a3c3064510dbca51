-- Grain: as the table. Fills nodes_closed or edges_closed with the rows of the file that are believed no more. Parameter: $file.
INSERT INTO {table} BY NAME SELECT t.* FROM read_parquet($file) AS t WHERE t.recorded_to <> 'infinity';
