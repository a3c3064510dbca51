-- Grain: one implication of a dataset that was added or dropped since belief last applied them. Input: graph.ontology_implications,
-- graph.applied_implications.
WITH declared AS (
    SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications WHERE dataset = $dataset
), applied AS (
    SELECT dataset, predicate, implied, swapped FROM graph.applied_implications WHERE dataset = $dataset
)
(SELECT * FROM declared EXCEPT SELECT * FROM applied)
UNION
(SELECT * FROM applied EXCEPT SELECT * FROM declared)
