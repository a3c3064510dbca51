-- Grain: a cached answer, resolved again. Inputs: registered table extraction_resolved(cache_key, response), $dataset.
UPDATE graph.llm_calls AS c SET response = r.response
FROM extraction_resolved AS r WHERE c.dataset = $dataset AND c.cache_key = r.cache_key;
