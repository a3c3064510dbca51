-- Grain: as the table. Fills nodes_open or edges_open with the rows of the file that are believed now. Parameter: $file.
INSERT INTO {table} BY NAME SELECT t.* EXCLUDE (recorded_to) FROM read_parquet($file) AS t WHERE t.recorded_to = 'infinity';
