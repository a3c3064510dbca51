-- Grain: one statement that no longer speaks of a touched key (withdrawn or moved away), or that newly does though it is old (moved here).
-- And all of a key that is derived whole, as a change of all its valid time. Input: keyed_gone, keyed_moved, touched.
SELECT t.key AS key, g.is_event AS is_event, g.valid_from AS valid_from, g.valid_to AS valid_to, FALSE AS stays
FROM keyed_gone AS g
JOIN touched AS t ON t.dataset = g.dataset AND t.kind = g.kind AND t.k1 = g.k1 AND t.k2 = g.k2 AND t.k3 = g.k3
UNION ALL
SELECT t.key, g.is_event, g.valid_from, g.valid_to, TRUE
FROM keyed_moved AS g
JOIN touched AS t ON t.dataset = g.dataset AND t.kind = g.kind AND t.k1 = g.k1 AND t.k2 = g.k2 AND t.k3 = g.k3
UNION ALL
SELECT key, FALSE, CAST('-infinity' AS TIMESTAMPTZ), CAST('infinity' AS TIMESTAMPTZ), TRUE FROM touched WHERE whole
