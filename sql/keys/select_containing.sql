-- Grain: a pair of columns of which the second has all sampled values of the first, at least $least different ones.
WITH wanted AS (
    SELECT column_id, count(*) AS value_count FROM sampled_values GROUP BY column_id HAVING count(*) >= $least
), shared AS (
    SELECT s.column_id, f.column_id AS referenced_id, count(*) AS value_count
    FROM sampled_values AS s JOIN found_values AS f ON f.value = s.value GROUP BY ALL
)
SELECT w.column_id, h.referenced_id
FROM wanted AS w JOIN shared AS h ON h.column_id = w.column_id AND h.value_count = w.value_count
ORDER BY w.column_id, h.referenced_id;
