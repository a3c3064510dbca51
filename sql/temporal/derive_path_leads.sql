-- Grain: one path of a transitive relation of more than one step, with the asserted edge that its first step begins with. Input: {leads}, paths,
-- symbols.
SELECT DISTINCT l.symbol AS symbol, l.a AS a, r.b AS b, greatest(l.valid_from, r.valid_from) AS valid_from, least(l.valid_to, r.valid_to) AS valid_to,
       l.premise AS premise
FROM {leads} AS l
JOIN symbols AS s ON s.symbol = l.symbol
JOIN paths AS r ON r.symbol = l.symbol AND r.a = l.b AND r.valid_from < l.valid_to AND l.valid_from < r.valid_to
WHERE s.transitive AND l.a <> l.b AND r.a <> r.b AND l.a <> r.b
