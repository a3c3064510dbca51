-- Grain: the dataset's rows of graph.ontology_classes, before they are written anew in the same transaction. Input: $dataset.
DELETE FROM graph.ontology_classes AS o WHERE o.dataset = $dataset;
