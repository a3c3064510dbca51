-- Grain: one row: how many rows the source had at its last load, and has now. Inputs: current_rows, stratagraph.rows.
WITH last AS (
    SELECT table_name, key, arg_max(present, loaded_at) AS present FROM stratagraph.rows WHERE source = $source GROUP BY table_name, key
)
SELECT (SELECT count(*) FROM last WHERE present) AS before, (SELECT count(*) FROM current_rows) AS now;
