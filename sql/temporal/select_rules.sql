-- Grain: one single-valued property. Input: graph.ontology_properties.
SELECT DISTINCT dataset, predicate, single_valued FROM graph.ontology_properties WHERE single_valued
