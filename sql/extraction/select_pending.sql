-- Grain: one distinct question that no earlier run answered, in a stable order, with its bucket: the first bytes of its key modulo
-- $buckets. Whitespace is never asked about. Inputs: temp table extraction_inputs, graph.llm_calls, registered table
-- extraction_kept(cache_key) of answers that are on their way, $dataset.
SELECT i.cache_key, any_value(i.content_hash) AS chunk_hash, any_value(i.text) AS text, any_value(i.reference_time) AS reference_time,
       any_value(i.language) AS language, any_value(i.speaker) AS speaker, arg_min(i.known, i.chunk_id) AS known,
       arg_min(i.topic, i.chunk_id) AS topic, min(i.chunk_id) AS chunk_id, min(i.source) AS source,
       CAST(CAST('0x' || substr(hex(i.cache_key), 1, 8) AS BIGINT) % $buckets AS INTEGER) AS bucket
FROM extraction_inputs AS i
ANTI JOIN graph.llm_calls AS c ON c.dataset = $dataset AND c.cache_key = i.cache_key
ANTI JOIN extraction_kept AS k ON k.cache_key = i.cache_key
WHERE NOT i.is_empty
GROUP BY i.cache_key
ORDER BY min(i.document_id), min(i.position), i.cache_key;
