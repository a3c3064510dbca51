-- Grain: the column properties of a dataset, before they are replaced.
DELETE FROM graph.properties WHERE dataset = $dataset;
