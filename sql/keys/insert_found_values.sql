-- Grain: a value of a column of {table} that is among the sampled ones. Inputs: {texts}, the columns' cells; $columns, their ids.
INSERT INTO found_values
WITH cells AS (
    SELECT unnest(CAST($columns AS BIGINT[])) AS column_id, unnest([{texts}]) AS cell FROM {table}
)
SELECT DISTINCT column_id, hash(cell) AS value FROM cells
WHERE cell IS NOT NULL AND hash(cell) IN (SELECT value FROM sampled_values);
