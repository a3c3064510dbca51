-- Grain: one open conflict of a relation that became single-valued, or ceased to be: its key is no key any more. Input: rules.
UPDATE graph.conflicts AS x SET recorded_to = CAST($store_now AS TIMESTAMPTZ)
WHERE x.kind = 'edge' AND x.dataset = $dataset AND x.recorded_to = 'infinity'
  AND (x.object = '') <> (x.predicate IN (SELECT predicate FROM rules))
