-- Grain: one row, the number of rows of one table or view. {relation} is its quoted name.
SELECT count(*) FROM {relation};
