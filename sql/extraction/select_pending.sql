-- Grain: one distinct question that no earlier run answered, in a stable order. Whitespace is never asked about.
-- Inputs: temp table extraction_inputs, graph.llm_calls, $dataset.
SELECT i.cache_key, any_value(i.content_hash) AS chunk_hash, any_value(i.text) AS text, any_value(i.reference_time) AS reference_time,
       any_value(i.language) AS language, any_value(i.speaker) AS speaker, arg_min(i.known, i.chunk_id) AS known,
       arg_min(i.topic, i.chunk_id) AS topic, min(i.chunk_id) AS chunk_id
FROM extraction_inputs AS i
LEFT JOIN graph.llm_calls AS c ON c.dataset = $dataset AND c.cache_key = i.cache_key
WHERE c.cache_key IS NULL AND NOT i.is_empty
GROUP BY i.cache_key
ORDER BY min(i.document_id), min(i.position), i.cache_key;
