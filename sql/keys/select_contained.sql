-- Grain: a pair of columns of the registered relation `pairs`: the share of the sampled values of the first that the second has.
SELECT p.pair, count(s.value), count(f.value)
FROM pairs AS p JOIN sampled_values AS s ON s.column_id = p.column_id
    LEFT JOIN found_values AS f ON f.column_id = p.referenced_id AND f.value = s.value
GROUP BY p.pair ORDER BY p.pair;
