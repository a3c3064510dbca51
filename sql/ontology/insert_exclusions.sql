-- Grain: one row per relation and one that it excludes. Inputs: $dataset and the registered table ontology_rows(predicate, excluded, swapped).
INSERT INTO graph.ontology_exclusions
SELECT $dataset AS dataset, r.predicate, r.excluded, r.swapped FROM ontology_rows AS r ORDER BY r.predicate, r.excluded, r.swapped;
