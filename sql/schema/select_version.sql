-- Grain: one row: the version of the tables of this warehouse.
SELECT version FROM graph.schema_version
