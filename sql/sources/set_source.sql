-- Setting of a connection: the source of the statements that are read next.
SET VARIABLE stated_source = $source;
