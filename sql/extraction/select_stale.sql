-- Grain: one cached answer that older rules resolved, for chunks that are live. Inputs: extraction_inputs, graph.llm_calls,
-- $dataset, $resolver (version of the rules).
SELECT c.cache_key, c.response, any_value(i.text) AS text, any_value(i.reference_time) AS reference_time,
       any_value(i.language) AS language, any_value(i.speaker) AS speaker, arg_min(i.known, i.chunk_id) AS known,
       arg_min(i.topic, i.chunk_id) AS topic
FROM graph.llm_calls AS c
JOIN extraction_inputs AS i ON i.cache_key = c.cache_key
WHERE c.dataset = $dataset AND CAST(json_extract(c.response, '$.resolver') AS BIGINT) <> $resolver
GROUP BY c.cache_key, c.response ORDER BY c.cache_key;
