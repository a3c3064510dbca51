-- Grain: one row of identities that began or ended at $at, written again. Input: replayed_identities.
UPDATE graph.identities AS t SET recorded_to = CAST($at AS TIMESTAMPTZ) FROM replayed_identities AS r
WHERE r.dataset = t.dataset AND r.ref = t.ref AND r.recorded_from = t.recorded_from AND r.recorded_to = CAST($at AS TIMESTAMPTZ);
INSERT INTO graph.identities SELECT r.* REPLACE (CAST('infinity' AS TIMESTAMPTZ) AS recorded_to) FROM replayed_identities AS r
WHERE r.recorded_from = CAST($at AS TIMESTAMPTZ);
