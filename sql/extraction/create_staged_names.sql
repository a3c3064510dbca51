-- Grain: one name that rows give a thing, staged and not committed yet. Input: $files (Parquet files of batches).
CREATE OR REPLACE TEMP TABLE extraction_staged_names AS
SELECT DISTINCT predicate AS class, value ->> '$.label' AS name
FROM read_parquet($files) WHERE kind = 'node' AND extractor = 'rows' AND polarity = 'assert';
