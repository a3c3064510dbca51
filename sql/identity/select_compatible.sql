-- Grain: one pair of classes whose members may be one thing: the same, or one above the other. Inputs: record_classes,
-- graph.ontology_classes. Parameter: $dataset.
SELECT DISTINCT class, class AS other FROM record_classes
UNION
SELECT class, ancestor FROM graph.ontology_classes WHERE dataset = $dataset
UNION
SELECT ancestor, class FROM graph.ontology_classes WHERE dataset = $dataset
