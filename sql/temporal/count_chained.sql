-- Grain: one row: how many pairs of paths the chains join, at most. Input: paths, chain_rules.
WITH tails AS (
    SELECT c.first, c.second, c.implied, p.b AS place, count(*) AS paths FROM paths AS p JOIN chain_rules AS c ON c.first = p.symbol
    GROUP BY c.first, c.second, c.implied, p.b
), heads AS (
    SELECT symbol, a AS place, count(*) AS paths FROM paths GROUP BY symbol, a
)
SELECT coalesce(sum(t.paths * h.paths), 0) AS number FROM tails AS t JOIN heads AS h ON h.symbol = t.second AND h.place = t.place
