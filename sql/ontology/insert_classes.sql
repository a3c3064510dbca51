-- Grain: one row per class and ancestor. Inputs: $dataset and the registered table ontology_rows(class, ancestor, label).
INSERT INTO graph.ontology_classes
SELECT $dataset AS dataset, r.class, r.ancestor, r.label FROM ontology_rows AS r ORDER BY r.class, r.ancestor;
