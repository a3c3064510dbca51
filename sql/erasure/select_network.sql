-- Grain: one relation that takes part in compositions, or implies or is implied by one that does, if a key to be derived again has such a
-- relation: then they are composed anew from the start. Inputs: erased_relations, graph.ontology_compositions, graph.ontology_implications and
-- the applied ones.
WITH compositions AS (
    SELECT first, second, implied FROM graph.ontology_compositions WHERE dataset = $dataset
    UNION SELECT first, second, implied FROM graph.applied_compositions WHERE dataset = $dataset
), named AS (
    SELECT first AS predicate FROM compositions UNION SELECT second FROM compositions UNION SELECT implied FROM compositions
), implications AS (
    SELECT predicate, implied FROM graph.ontology_implications WHERE dataset = $dataset
    UNION SELECT predicate, implied FROM graph.applied_implications WHERE dataset = $dataset
), network AS (
    SELECT predicate FROM named
    UNION SELECT i.predicate FROM implications AS i JOIN named AS n ON n.predicate = i.implied
    UNION SELECT i.implied FROM implications AS i JOIN named AS n ON n.predicate = i.predicate
), reached AS (
    SELECT count(*) AS number FROM erased_relations AS r JOIN network AS n ON n.predicate = r.predicate
)
SELECT n.predicate AS predicate FROM network AS n CROSS JOIN reached AS r WHERE r.number > 0
