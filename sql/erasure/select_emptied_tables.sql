-- Grain: a table of dlt's with erased rows that no key of its own tells apart. Inputs: erased_rows, stratagraph.columns.
SELECT DISTINCT c.landing_schema, c.landing_table
FROM erased_rows AS e JOIN stratagraph.columns AS c ON c.source = e.source AND c.table_name = e.table_name
WHERE e.parts IS NULL ORDER BY ALL;
