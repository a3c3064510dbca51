-- Grain: one stretch of a conflict that ends now. Input: conflicts_closed.
UPDATE graph.conflicts AS x SET recorded_to = c.key_at FROM conflicts_closed AS c
WHERE c.dataset = x.dataset AND c.conflict_id = x.conflict_id AND c.valid_from = x.valid_from AND c.valid_to = x.valid_to
  AND x.recorded_to = 'infinity'
