-- Grain: a table of a source with erased rows, dlt's table of it, and dlt's columns of its primary key in order.
-- Inputs: erased_rows, stratagraph.columns, stratagraph.identifiers.
SELECT e.source, e.table_name, min(c.landing_schema) AS landing_schema, min(c.landing_table) AS landing_table,
       list(c.landing_column ORDER BY list_position(i.columns, c.column_name)) AS columns
FROM (SELECT DISTINCT source, table_name FROM erased_rows WHERE parts IS NOT NULL) AS e
JOIN stratagraph.identifiers AS i ON i.source = e.source AND i.table_name = e.table_name AND i.kind = 'primary'
JOIN stratagraph.columns AS c ON c.source = e.source AND c.table_name = e.table_name AND list_contains(i.columns, c.column_name)
GROUP BY e.source, e.table_name ORDER BY e.source, e.table_name
