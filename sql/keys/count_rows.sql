-- Grain: one row: how many rows {table} has.
SELECT count(*) FROM {table};
