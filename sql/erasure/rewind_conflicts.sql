-- Grain: one conflict of a key to be derived again, as it was before $first. Input: whole_keys.
DELETE FROM graph.conflicts AS t USING whole_keys AS k
WHERE t.dataset = $dataset AND t.kind = k.kind AND t.subject = k.k1 AND t.predicate = k.k2 AND t.object = k.k3
  AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
UPDATE graph.conflicts AS t SET recorded_to = 'infinity' FROM whole_keys AS k
WHERE t.dataset = $dataset AND t.kind = k.kind AND t.subject = k.k1 AND t.predicate = k.k2 AND t.object = k.k3
  AND t.recorded_to >= CAST($first AS TIMESTAMPTZ) AND t.recorded_to < 'infinity';
