-- Grain: the ontology's rules of a dataset that belief has now applied. Input: graph.ontology_*.
DELETE FROM graph.applied_properties WHERE dataset = $dataset;
INSERT INTO graph.applied_properties
SELECT DISTINCT dataset, predicate FROM graph.ontology_properties WHERE single_valued AND dataset = $dataset;
DELETE FROM graph.applied_implications WHERE dataset = $dataset;
INSERT INTO graph.applied_implications
SELECT DISTINCT dataset, predicate, implied, swapped FROM graph.ontology_implications WHERE dataset = $dataset;
DELETE FROM graph.applied_exclusions WHERE dataset = $dataset;
INSERT INTO graph.applied_exclusions
SELECT DISTINCT dataset, predicate, excluded, swapped FROM graph.ontology_exclusions WHERE dataset = $dataset;
DELETE FROM graph.applied_compositions WHERE dataset = $dataset;
INSERT INTO graph.applied_compositions
SELECT DISTINCT dataset, first, second, implied FROM graph.ontology_compositions WHERE dataset = $dataset;
