-- Grain: one row, a fingerprint of the live chunks. Inputs: graph.chunks, graph.documents, $dataset.
SELECT md5(coalesce(string_agg(md5(CAST(json_array(c.chunk_id, d.source, hex(c.content_hash)) AS VARCHAR)), '' ORDER BY c.chunk_id), ''))
           AS state
FROM graph.chunks AS c
JOIN graph.documents AS d ON d.dataset = c.dataset AND d.document_id = c.document_id AND d.recorded_to = 'infinity'
WHERE c.dataset = $dataset AND c.recorded_to = 'infinity';
