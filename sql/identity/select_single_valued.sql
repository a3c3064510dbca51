-- Grain: one property that a thing has one value of at a time. Input: graph.ontology_properties. Parameter: $dataset.
SELECT predicate FROM graph.ontology_properties WHERE dataset = $dataset AND single_valued
