-- Grain: one staged statement, from a registered file, relation, or Arrow or Polars table.
SELECT * FROM {relation}
