-- Grain: the ontology's rules that belief has now applied. Input: rules, graph.ontology_implications.
DELETE FROM graph.applied_properties;
INSERT INTO graph.applied_properties SELECT dataset, predicate FROM rules;
DELETE FROM graph.applied_implications;
INSERT INTO graph.applied_implications SELECT DISTINCT dataset, predicate, implied, swapped FROM graph.ontology_implications;
