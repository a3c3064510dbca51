-- Grain: one staged statement, as its producer wrote it.
SELECT * FROM read_parquet($path)
