-- Grain: the erased document, all its versions. Parameters: $dataset, $document.
DELETE FROM graph.documents WHERE dataset = $dataset AND document_id = $document
