-- Grain: a key to be derived again; the same as before and those whose relations share an inference with them.
-- Inputs: whole_keys, erased_pairs, graph.edges, rules, graph.ontology_implications, graph.applied_implications.
WITH implications AS (
    SELECT predicate, implied FROM graph.ontology_implications WHERE dataset = $dataset
    UNION SELECT predicate, implied FROM graph.applied_implications WHERE dataset = $dataset
), concerned AS (
    SELECT predicate FROM implications UNION SELECT implied FROM implications
), believed AS (
    SELECT e.subject, e.predicate, e.object, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3
    FROM graph.edges AS e JOIN concerned AS c ON c.predicate = e.predicate
    LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
    WHERE e.dataset = $dataset AND e.origin = 'asserted'
), sharing AS (
    SELECT b.* FROM believed AS b
    JOIN erased_pairs AS p ON p.a = least(b.subject, b.object) AND p.b = greatest(b.subject, b.object)
)
SELECT dataset, kind, k1, k2, k3 FROM {keys}
UNION
SELECT $dataset, 'edge', s.subject, s.predicate, s.k3 FROM sharing AS s
LEFT JOIN erased_refs AS a ON a.ref = s.subject
LEFT JOIN erased_refs AS b ON b.ref = s.k3
WHERE a.ref IS NULL AND b.ref IS NULL
