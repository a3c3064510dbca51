-- Grain: a row that is new, changed or gone since the last load of the source. Input: row_changes.
INSERT INTO stratagraph.rows
SELECT $source, table_name, key, content, $loaded_at, present FROM row_changes ORDER BY table_name, key;
