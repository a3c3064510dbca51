-- Grain: one row: how many pairs of paths the next round joins, at most. Input: paths, symbols.
WITH tails AS (
    SELECT p.symbol, p.b AS place, count(*) AS paths FROM paths AS p JOIN symbols AS s ON s.symbol = p.symbol
    WHERE s.transitive AND p.length = $length GROUP BY p.symbol, p.b
), heads AS (
    SELECT symbol, a AS place, count(*) AS paths FROM paths GROUP BY symbol, a
)
SELECT coalesce(sum(t.paths * h.paths), 0) AS number FROM tails AS t JOIN heads AS h ON h.symbol = t.symbol AND h.place = t.place
