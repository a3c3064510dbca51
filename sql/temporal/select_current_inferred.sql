-- Grain: one open inferred row of a touched inferred relation. Input: graph.edges_open, inferred_keys.
SELECT e.dataset AS dataset, 'edge' AS kind, e.edge_id AS row_id, e.content_hash AS content_hash, e.subject AS subject,
       e.predicate AS predicate, e.object AS object, k.key_at AS key_at
FROM graph.edges_open AS e
JOIN inferred_keys AS k ON k.dataset = e.dataset AND k.subject = e.subject AND k.predicate = e.predicate AND k.object = e.object
WHERE e.origin = 'inferred'
