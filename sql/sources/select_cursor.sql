-- Grain: one row: the greatest value of a cursor that a load brought. Inputs: {table}, dlt's; {column}.
SELECT CAST(max({column}) AS VARCHAR) FROM {table};
