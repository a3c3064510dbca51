-- Grain: one chunk of the erased document. Input: graph.chunks. Parameters: $dataset, $document.
SELECT DISTINCT chunk_id, content_hash FROM graph.chunks WHERE dataset = $dataset AND document_id = $document
