-- Grain: one row: whether an id is of a document, or of one that was erased. Inputs: graph.documents, graph.tombstones.
SELECT (SELECT count(*) FROM graph.documents WHERE dataset = $dataset AND document_id = $id)
       + (SELECT count(*) FROM graph.tombstones
          WHERE dataset = $dataset AND kind = 'document' AND token = token_of($secret, 'document', $id)) AS documents
