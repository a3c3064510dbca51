-- Grain: one source with live chunks that say something: how many of them have an answer. Inputs: temp table extraction_inputs,
-- graph.llm_calls, registered table extraction_kept(cache_key) of answers that are on their way, $dataset.
SELECT i.source, count(*) FILTER (WHERE c.cache_key IS NOT NULL OR k.cache_key IS NOT NULL) AS answered
FROM extraction_inputs AS i
LEFT JOIN graph.llm_calls AS c ON c.dataset = $dataset AND c.cache_key = i.cache_key
LEFT JOIN (SELECT DISTINCT cache_key FROM extraction_kept) AS k ON k.cache_key = i.cache_key
WHERE NOT i.is_empty
GROUP BY i.source ORDER BY i.source;
