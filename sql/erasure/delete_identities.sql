-- Grain: one row of identities that names the erased entity. Input: erased_identities.
DELETE FROM graph.identities AS i USING erased_identities AS e
WHERE e.dataset = i.dataset AND e.ref = i.ref AND e.recorded_from = i.recorded_from
