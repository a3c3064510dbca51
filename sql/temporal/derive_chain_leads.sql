-- Grain: one result of a chain, with the asserted edge that it begins with. Input: {leads}, path_leads, paths, chain_rules.
WITH all_leads AS (
    SELECT * FROM {leads} UNION ALL SELECT * FROM path_leads
)
SELECT DISTINCT c.implied AS symbol, l.a AS a, r.b AS b, greatest(l.valid_from, r.valid_from) AS valid_from, least(l.valid_to, r.valid_to) AS valid_to,
       l.premise AS premise
FROM all_leads AS l
JOIN chain_rules AS c ON c.first = l.symbol
JOIN paths AS r ON r.symbol = c.second AND r.a = l.b AND r.valid_from < l.valid_to AND l.valid_from < r.valid_to
WHERE c.hidden OR l.a <> r.b
