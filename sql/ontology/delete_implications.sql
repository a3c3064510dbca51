-- Grain: the dataset's rows of graph.ontology_implications, before they are written anew in the same transaction. Input: $dataset.
DELETE FROM graph.ontology_implications AS o WHERE o.dataset = $dataset;
