-- Grain: one row, the number of rows of a table or view. Input: {table}.
SELECT count(*) AS rows FROM {table};
