-- Grain: one kept answer about two candidates. Input: graph.llm_calls. Parameters: $dataset, $keys.
SELECT cache_key, response FROM graph.llm_calls WHERE dataset = $dataset AND list_contains($keys, cache_key)
