-- Grain: one row: rows of {table}, rows in which all columns of {parts} have a value ({filled}), different ones of those.
SELECT count(*), count(*) FILTER ({filled}), count(DISTINCT {parts}) FILTER ({filled}) FROM {table};
