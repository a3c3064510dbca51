-- Grain: one candidate that ends, or about which something else is decided. Input: {pairs} (a, b). Parameters: $dataset, $at.
UPDATE graph.identity_candidates AS c SET recorded_to = CAST($at AS TIMESTAMPTZ) FROM {pairs} AS p
WHERE c.dataset = $dataset AND c.a = p.a AND c.b = p.b AND c.recorded_to = 'infinity'
