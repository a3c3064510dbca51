-- Grain: one step that follows from others, as in derive_more_steps, with the asserted edge that it begins with. Input: chain_leads, path_leads,
-- image_rules.
WITH implied AS (
    SELECT c.*, i.implied, i.swapped FROM chain_leads AS c JOIN image_rules AS i ON i.symbol = c.symbol
    UNION ALL
    SELECT p.*, i.implied, i.swapped FROM path_leads AS p JOIN image_rules AS i ON i.symbol = p.symbol WHERE NOT i.closed
)
SELECT symbol, a, b, valid_from, valid_to, premise FROM chain_leads
UNION
SELECT implied, CASE WHEN swapped THEN b ELSE a END, CASE WHEN swapped THEN a ELSE b END, valid_from, valid_to, premise FROM implied
