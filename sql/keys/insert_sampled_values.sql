-- Grain: a value of a column of {table}, at most $limit of each: those with the smallest hashes, so that the same values are
-- chosen in every column. Inputs: {texts}, the columns' cells; $columns, their ids in the same order; $step.
INSERT INTO sampled_values
WITH cells AS (
    SELECT unnest(CAST($columns AS BIGINT[])) AS column_id, unnest([{texts}]) AS cell FROM {table} WHERE rowid % $step = 0
), different AS (
    SELECT DISTINCT column_id, hash(cell) AS value FROM cells WHERE cell IS NOT NULL
), numbered AS (
    SELECT column_id, value, row_number() OVER (PARTITION BY column_id ORDER BY value) AS number FROM different
)
SELECT column_id, value FROM numbered WHERE number <= $limit;
