-- Grain: one row: rows with a value, and rows whose value is found if case, spaces around it and zeros before it don't count.
-- Inputs: as of measure_key, for one column.
WITH targets AS (
    SELECT DISTINCT ltrim(lower(trim({others})), '0') AS value FROM {referenced} WHERE {others_filled}
)
SELECT count(*), count(t.value) FROM {table} LEFT JOIN targets AS t ON t.value = ltrim(lower(trim({parts})), '0') WHERE {filled};
