-- Grain: the foreign keys of a dataset, before they are replaced.
DELETE FROM graph.foreign_keys WHERE dataset = $dataset;
