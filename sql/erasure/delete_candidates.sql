-- Grain: one candidate for one thing. Input: erased_candidates.
DELETE FROM graph.identity_candidates AS c USING erased_candidates AS e
WHERE c.dataset = $dataset AND c.a = e.a AND c.b = e.b AND c.recorded_from = e.recorded_from
