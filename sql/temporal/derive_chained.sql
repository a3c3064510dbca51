-- Grain: one stretch on which a chain of two relations implies a third. It never relates a thing to itself. Input: paths, chain_rules.
SELECT DISTINCT c.implied AS symbol, l.a AS a, r.b AS b, greatest(l.valid_from, r.valid_from) AS valid_from, least(l.valid_to, r.valid_to) AS valid_to
FROM paths AS l
JOIN chain_rules AS c ON c.first = l.symbol
JOIN paths AS r ON r.symbol = c.second AND r.a = l.b AND r.valid_from < l.valid_to AND l.valid_from < r.valid_to
WHERE c.hidden OR l.a <> r.b
