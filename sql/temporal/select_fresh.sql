-- Grain: one of {these} that lies within none of {those}.
WITH within AS (
    SELECT DISTINCT n.symbol, n.a, n.b, n.valid_from, n.valid_to FROM {these} AS n
    JOIN {those} AS k ON k.symbol = n.symbol AND k.a = n.a AND k.b = n.b AND k.valid_from <= n.valid_from AND n.valid_to <= k.valid_to
)
SELECT n.* FROM {these} AS n
LEFT JOIN within AS w ON w.symbol = n.symbol AND w.a = n.a AND w.b = n.b AND w.valid_from = n.valid_from AND w.valid_to = n.valid_to
WHERE w.symbol IS NULL
