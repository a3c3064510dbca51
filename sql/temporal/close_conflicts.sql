-- Grain: one conflict that ends now. Input: conflicts_closed.
UPDATE graph.conflicts AS x SET recorded_to = c.key_at FROM conflicts_closed AS c
WHERE c.dataset = x.dataset AND c.conflict_id = x.conflict_id AND x.recorded_to = 'infinity'
