-- Grain: one row per composition of two relations. Inputs: $dataset and the registered table ontology_rows(first, second, implied).
INSERT INTO graph.ontology_compositions
SELECT $dataset AS dataset, r.first, r.second, r.implied FROM ontology_rows AS r ORDER BY r.first, r.second, r.implied;
