-- Grain: one implication that was added or dropped since belief last applied them. Input: graph.ontology_implications, graph.applied_implications.
(SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications
 EXCEPT SELECT dataset, predicate, implied, swapped FROM graph.applied_implications)
UNION
(SELECT dataset, predicate, implied, swapped FROM graph.applied_implications
 EXCEPT SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications)
