-- Grain: one exclusion of a dataset: predicate(s, o) denies excluded(s, o), or excluded(o, s) when swapped. A single-valued relation takes
-- no part: its key does not name the object. Input: graph.ontology_exclusions, rules.
SELECT DISTINCT x.dataset AS dataset, x.predicate AS predicate, x.excluded AS excluded, x.swapped AS swapped
FROM graph.ontology_exclusions AS x
LEFT JOIN rules AS p ON p.dataset = x.dataset AND p.predicate = x.predicate
LEFT JOIN rules AS e ON e.dataset = x.dataset AND e.predicate = x.excluded
WHERE x.dataset = $dataset AND p.predicate IS NULL AND e.predicate IS NULL
