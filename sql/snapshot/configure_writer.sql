-- Settings under which Parquet bytes are a function of the rows.
SET threads = 1;
SET preserve_insertion_order = true;
