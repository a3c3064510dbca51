-- Grain: a row of $tables whose key another row of its table has as well, and says something else. Input: current_rows.
INSERT INTO stratagraph.refused
WITH ranked AS (
    SELECT *, first(content) OVER (PARTITION BY table_name, key ORDER BY place) AS stands,
           row_number() OVER (PARTITION BY table_name, key ORDER BY place) AS number
    FROM current_rows WHERE list_contains(CAST($tables AS VARCHAR[]), table_name)
)
SELECT $source, table_name, 'duplicate_key', 'a row before it has the same key and says something else', left(content, 2000),
       $source || '/' || table_name || ' ' || left(key, 200) || ' (' || number || ')'
FROM ranked WHERE content <> stands;
