-- Grain: one question that an engine gave up. Input: $files (Parquet, columns of extraction.buckets.ANSWERS).
SELECT a.cache_key, a.reason, a.detail, a.payload
FROM read_parquet($files) AS a
WHERE a.reason IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY a.cache_key ORDER BY a.recorded_at DESC, a.reason) = 1;
