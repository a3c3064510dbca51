-- Grain: all rows of a source in {table}, one of the landing file's own tables.
DELETE FROM {table} WHERE source = $source;
