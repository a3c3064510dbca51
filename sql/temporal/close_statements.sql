-- Grain: one withdrawn statement: its transaction time ends with its key's. Input: keyed_withdrawn, touched.
UPDATE graph.statements AS s SET recorded_to = w.key_at
FROM (SELECT k.dataset, k.statement_id, t.key_at FROM keyed_withdrawn AS k
      JOIN touched AS t ON t.dataset = k.dataset AND t.kind = k.kind AND t.k1 = k.k1 AND t.k2 = k.k2 AND t.k3 = k.k3) AS w
WHERE s.statement_id = w.statement_id AND s.dataset = w.dataset AND s.recorded_to = 'infinity'
