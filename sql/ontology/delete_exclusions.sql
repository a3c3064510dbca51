-- Grain: the dataset's rows of graph.ontology_exclusions, before they are written anew in the same transaction. Input: $dataset.
DELETE FROM graph.ontology_exclusions AS o WHERE o.dataset = $dataset;
