-- Grain: one row of identities, as it was before $first. Input: replayed_identities.
DELETE FROM graph.identities AS t USING replayed_identities AS r
WHERE r.dataset = t.dataset AND r.ref = t.ref AND r.recorded_from = t.recorded_from AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
UPDATE graph.identities AS t SET recorded_to = 'infinity' FROM replayed_identities AS r
WHERE r.dataset = t.dataset AND r.ref = t.ref AND r.recorded_from = t.recorded_from;
