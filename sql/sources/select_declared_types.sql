-- Grain: a column of a table of a SQLite file, and its type as it was declared. Runs on SQLite.
SELECT name, type FROM pragma_table_xinfo($table);
