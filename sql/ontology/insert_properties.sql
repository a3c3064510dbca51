-- Grain: one row per property. Inputs: $dataset and the registered table ontology_rows(predicate, label, single_valued).
INSERT INTO graph.ontology_properties
SELECT $dataset AS dataset, r.predicate, r.label, r.single_valued FROM ontology_rows AS r ORDER BY r.predicate;
