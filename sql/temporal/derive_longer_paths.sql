-- Grain: one path of a transitive relation on a stretch of time, longer than $length: of a path as long as that and one that is not longer. A
-- shortest path of up to twice the length begins with a shortest one of just the length, so a few rounds find all ends. Input: paths, symbols.
WITH long AS (
    SELECT p.* FROM paths AS p JOIN symbols AS s ON s.symbol = p.symbol WHERE s.transitive AND p.length = $length AND p.a <> p.b
), joined AS (
    SELECT l.symbol, l.a, r.b, greatest(l.valid_from, r.valid_from) AS valid_from, least(l.valid_to, r.valid_to) AS valid_to,
           l.length + r.length AS length
    FROM long AS l JOIN paths AS r ON r.symbol = l.symbol AND r.a = l.b AND r.valid_from < l.valid_to AND l.valid_from < r.valid_to
    WHERE l.a <> r.b AND r.a <> r.b
)
SELECT symbol, a, b, valid_from, valid_to, min(length) AS length FROM joined GROUP BY symbol, a, b, valid_from, valid_to
