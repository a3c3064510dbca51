-- Grain: one row: for each of {columns} of {table}, rows with a value and different values.
SELECT [{columns}] FROM {table};
