-- Setting of a connection: how much memory DuckDB may use; what does not fit goes to the disk.
SET memory_limit = $memory_limit;
