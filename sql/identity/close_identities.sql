-- Grain: one ref that leaves its node. Input: identity_changes.
UPDATE graph.identities AS i SET recorded_to = c.changed_at FROM identity_changes AS c
WHERE i.dataset = c.dataset AND i.ref = c.ref AND i.recorded_to = 'infinity'
