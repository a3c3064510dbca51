-- Setting of a connection: the dataset of the statements that are read next.
SET VARIABLE stated_dataset = $dataset;
