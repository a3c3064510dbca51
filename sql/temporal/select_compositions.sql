-- Grain: one composition of a dataset: first(a, b) and second(b, c) imply implied(a, c). Input: graph.ontology_compositions.
SELECT DISTINCT first, second, implied FROM graph.ontology_compositions WHERE dataset = $dataset
