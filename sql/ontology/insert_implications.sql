-- Grain: one row per entailed relation. Inputs: $dataset and the registered table ontology_rows(predicate, implied, swapped).
INSERT INTO graph.ontology_implications
SELECT $dataset AS dataset, r.predicate, r.implied, r.swapped FROM ontology_rows AS r ORDER BY r.predicate, r.implied, r.swapped;
