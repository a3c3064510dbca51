-- Grain: one answered question about a chunk that still stands; one about another chunk (changed, erased) is of no use to anyone.
-- Inputs: $files (Parquet, columns of extraction.buckets.ANSWERS), graph.chunks, graph.llm_calls, $dataset.
INSERT INTO graph.llm_calls
SELECT $dataset AS dataset, a.cache_key, a.engine, a.model, a.chunk_hash, a.prompt_tokens, a.completion_tokens, a.response,
       a.recorded_at
FROM read_parquet($files) AS a
SEMI JOIN graph.chunks AS h ON h.dataset = $dataset AND h.recorded_to = 'infinity' AND h.content_hash = a.chunk_hash
ANTI JOIN graph.llm_calls AS c ON c.dataset = $dataset AND c.cache_key = a.cache_key
WHERE a.response IS NOT NULL
QUALIFY row_number() OVER (PARTITION BY a.cache_key ORDER BY a.recorded_at, a.response) = 1
ORDER BY a.recorded_at, a.cache_key;
