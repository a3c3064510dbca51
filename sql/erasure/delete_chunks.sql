-- Grain: one chunk of the erased document. Parameters: $dataset, $document.
DELETE FROM graph.chunks WHERE dataset = $dataset AND document_id = $document
