-- Grain: one staged statement, from a registered Arrow or Polars table.
SELECT * FROM {relation}
