-- Grain: one statement, live or withdrawn, of a key that is derived again whole. Input: keyed_history, touched.
SELECT h.dataset AS dataset, h.statement_id AS statement_id, max(t.key_at) AS key_at
FROM keyed_history AS h
JOIN touched AS t ON t.dataset = h.dataset AND t.kind = h.kind AND t.k1 = h.k1 AND t.k2 = h.k2 AND t.k3 = h.k3
GROUP BY h.dataset, h.statement_id
