-- Grain: one believed segment and one statement that justifies it: same key, same value, overlapping claim. Input: segments, candidates.
SELECT DISTINCT g.dataset AS dataset, g.key_kind AS kind, g.row_id AS row_id, g.content_hash AS content_hash,
       c.statement_id AS statement_id, g.key_at AS key_at
FROM segments AS g
JOIN candidates AS c ON c.dataset = g.dataset AND c.key_kind = g.key_kind AND c.k1 = g.k1 AND c.k2 = g.k2 AND c.k3 = g.k3
    AND c.value_hash = g.value_hash AND coalesce(c.object_node, '') = coalesce(g.object, '')
    AND c.valid_from < g.valid_to AND g.valid_from < c.claim_to
WHERE c.polarity = 'assert'
