-- Grain: the ontology's rules of a dataset that belief has now applied. Input: graph.ontology_properties, graph.ontology_implications.
DELETE FROM graph.applied_properties WHERE dataset = $dataset;
INSERT INTO graph.applied_properties
SELECT DISTINCT dataset, predicate FROM graph.ontology_properties WHERE single_valued AND dataset = $dataset;
DELETE FROM graph.applied_implications WHERE dataset = $dataset;
INSERT INTO graph.applied_implications
SELECT DISTINCT dataset, predicate, implied, swapped FROM graph.ontology_implications WHERE dataset = $dataset;
