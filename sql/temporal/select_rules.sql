-- Grain: one single-valued property of a dataset. Input: graph.ontology_properties.
SELECT DISTINCT dataset, predicate, single_valued FROM graph.ontology_properties WHERE single_valued AND dataset = $dataset
