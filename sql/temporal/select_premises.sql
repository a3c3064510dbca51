-- Grain: one asserted open edge that implies a touched inferred relation. Input: inferred_keys, graph.ontology_implications, graph.edges_open.
WITH asserted AS (
    SELECT * FROM graph.edges_open WHERE origin = 'asserted'
), along AS (
    SELECT dataset, predicate, implied FROM graph.ontology_implications WHERE NOT swapped
), across AS (
    SELECT dataset, predicate, implied FROM graph.ontology_implications WHERE swapped
)
SELECT k.dataset AS dataset, k.subject AS subject, k.predicate AS predicate, k.object AS object, k.key_at AS key_at,
       e.valid_from AS valid_from, e.valid_to AS valid_to, e.confidence AS confidence, e.edge_id AS premise_id,
       e.value_hash AS premise_hash
FROM inferred_keys AS k
JOIN along AS i ON i.dataset = k.dataset AND i.implied = k.predicate
JOIN asserted AS e ON e.dataset = k.dataset AND e.predicate = i.predicate AND e.subject = k.subject AND e.object = k.object
UNION ALL
SELECT k.dataset, k.subject, k.predicate, k.object, k.key_at, e.valid_from, e.valid_to, e.confidence, e.edge_id, e.value_hash
FROM inferred_keys AS k
JOIN across AS i ON i.dataset = k.dataset AND i.implied = k.predicate
JOIN asserted AS e ON e.dataset = k.dataset AND e.predicate = i.predicate AND e.subject = k.object AND e.object = k.subject
