-- Grain: the dataset's rows of graph.ontology_compositions, before they are written anew in the same transaction. Input: $dataset.
DELETE FROM graph.ontology_compositions AS o WHERE o.dataset = $dataset;
