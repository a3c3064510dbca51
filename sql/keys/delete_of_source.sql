-- Grain: all rows of a source in {table}, one of the landing file's tables of what was inferred.
DELETE FROM {table} WHERE source = $source;
