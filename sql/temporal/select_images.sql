-- Grain: one relation and what it implies, itself included: swapped turns its ends round. Input: graph.ontology_implications, compositions.
WITH bodies AS (
    SELECT first AS predicate FROM compositions UNION SELECT second FROM compositions
)
SELECT predicate, predicate AS implied, FALSE AS swapped FROM bodies
UNION
SELECT implied, implied, FALSE FROM compositions
UNION
SELECT predicate, implied, swapped FROM graph.ontology_implications WHERE dataset = $dataset
