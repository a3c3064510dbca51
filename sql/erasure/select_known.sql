-- Grain: one row: whether anything here is of what is to be erased. Inputs: the erased sets, graph.mentions, graph.documents,
-- graph.quarantine, graph.tombstones. Parameters: $dataset, $secret, $kind, $id.
SELECT (SELECT count(*) FROM erased_statements) + (SELECT count(*) FROM erased_identities) + (SELECT count(*) FROM erased_chunks)
       + (SELECT count(*) FROM graph.documents WHERE dataset = $dataset AND document_id = $document)
       + (SELECT count(*) FROM graph.mentions AS m JOIN erased_refs AS r ON r.ref = m.ref WHERE m.dataset = $dataset)
       + (SELECT count(*) FROM graph.nodes AS n JOIN erased_refs AS r ON r.ref = n.node_id WHERE n.dataset = $dataset)
       + (SELECT count(*) FROM graph.quarantine AS q WHERE q.dataset = $dataset AND (q.scope = $id OR q.location = $id)) AS traces,
       (SELECT count(*) FROM graph.tombstones AS t
        WHERE t.dataset = $dataset AND t.kind = $kind AND t.token = token_of($secret, $kind, $id)) AS tombstones
