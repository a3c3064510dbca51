-- Grain: a column of a source and where it landed.
SELECT table_name, column_name, landing_table, landing_column, type, position, coalesce(known_as, column_name), former, present, encoded FROM stratagraph.columns
WHERE source = $source ORDER BY table_name, position, column_name;
