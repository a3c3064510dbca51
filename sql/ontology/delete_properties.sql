-- Grain: the dataset's rows of graph.ontology_properties, before they are written anew in the same transaction. Input: $dataset.
DELETE FROM graph.ontology_properties AS o WHERE o.dataset = $dataset;
