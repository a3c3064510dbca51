-- Grain: one composition other than transitivity, in numbers. Input: compositions, symbols.
SELECT f.symbol AS first, s.symbol AS second, i.symbol AS implied, i.hidden AS hidden
FROM compositions AS c
JOIN symbols AS f ON f.predicate = c.first
JOIN symbols AS s ON s.predicate = c.second
JOIN symbols AS i ON i.predicate = c.implied
WHERE NOT (c.first = c.second AND c.first = c.implied)
