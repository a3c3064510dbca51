-- Grain: one row: how a foreign key holds. Inputs: {table}, {referenced}: the two tables; {parts}, {others}: their columns as one
-- value each; {filled}, {others_filled}: that no part is NULL. Rows with a value, rows whose value is found, the same of
-- different values; how many different values there are to refer to; least and greatest of both sides, where they are numbers.
WITH keyed AS (
    SELECT {parts} AS value, count(*) AS row_count FROM {table} WHERE {filled} GROUP BY value
), targets AS (
    SELECT DISTINCT {others} AS value FROM {referenced} WHERE {others_filled}
), range AS (
    SELECT count(*) AS target_count, min(TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE)) AS least,
        max(TRY_CAST(CAST(value AS VARCHAR) AS DOUBLE)) AS greatest FROM targets
)
SELECT coalesce(sum(k.row_count), 0)::BIGINT, coalesce(sum(k.row_count) FILTER (t.value IS NOT NULL), 0)::BIGINT,
    count(k.value), count(t.value), any_value(r.target_count), any_value(r.least), any_value(r.greatest),
    min(TRY_CAST(CAST(k.value AS VARCHAR) AS DOUBLE)), max(TRY_CAST(CAST(k.value AS VARCHAR) AS DOUBLE))
FROM range AS r LEFT JOIN keyed AS k ON true LEFT JOIN targets AS t ON t.value = k.value;
