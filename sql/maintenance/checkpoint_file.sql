-- Grain: no rows. What stands in the write-ahead log moves into the file.
CHECKPOINT;
