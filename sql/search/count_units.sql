-- Grain: one row per kind of unit with its number. Input: an index's units file. Parameter: $file.
SELECT u.kind, count(*) AS units FROM read_parquet($file) AS u GROUP BY u.kind ORDER BY u.kind;
