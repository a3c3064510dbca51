-- Grain: a column of {table}, by its position in {texts}: rows, rows with a value, different values.
WITH cells AS (SELECT unnest(range($count)) AS position, unnest([{texts}]) AS cell FROM {table})
SELECT position, count(*), count(cell), count(DISTINCT cell) FROM cells GROUP BY position ORDER BY position;
