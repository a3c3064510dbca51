-- Frees the temporary table of a compute step.
DROP TABLE IF EXISTS {name}
