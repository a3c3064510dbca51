-- Grain: one stretch on which a relation of the compositions follows from others: by a chain, or as what a chain's result or a path implies.
-- Input: chained, paths, image_rules.
WITH implied AS (
    SELECT c.*, i.implied, i.swapped FROM chained AS c JOIN image_rules AS i ON i.symbol = c.symbol
    UNION ALL
    SELECT p.symbol, p.a, p.b, p.valid_from, p.valid_to, i.implied, i.swapped
    FROM paths AS p JOIN image_rules AS i ON i.symbol = p.symbol WHERE p.length > 1 AND NOT i.closed
)
SELECT symbol, a, b, valid_from, valid_to FROM chained
UNION
SELECT implied, CASE WHEN swapped THEN b ELSE a END, CASE WHEN swapped THEN a ELSE b END, valid_from, valid_to FROM implied
