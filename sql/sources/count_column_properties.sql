-- Grain: one row: how many columns became properties, and of how many the datatype is known.
SELECT count(*), count(datatype) FROM graph.properties WHERE dataset = $dataset;
