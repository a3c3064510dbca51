-- Grain: a table that is loaded whole: how many rows it had at the last load, and has now. Inputs: current_rows, stratagraph.rows.
WITH last AS (
    SELECT table_name, key, arg_max(present, loaded_at) AS present FROM stratagraph.rows WHERE source = $source GROUP BY table_name, key
), before AS (
    SELECT table_name, count(*) AS row_count FROM last WHERE present GROUP BY table_name
), now AS (
    SELECT table_name, count(*) AS row_count FROM current_rows GROUP BY table_name
)
SELECT coalesce(b.table_name, n.table_name) AS table_name, coalesce(b.row_count, 0), coalesce(n.row_count, 0)
FROM before AS b FULL JOIN now AS n ON n.table_name = b.table_name
WHERE NOT list_contains(CAST($growing AS VARCHAR[]), coalesce(b.table_name, n.table_name))
ORDER BY table_name;
