-- Grain: a table of a source, and how many rows it has now.
WITH last AS (
    SELECT table_name, key, arg_max(present, loaded_at) AS present FROM stratagraph.rows WHERE source = $source GROUP BY table_name, key
)
SELECT table_name, count(*) FROM last WHERE present GROUP BY table_name;
