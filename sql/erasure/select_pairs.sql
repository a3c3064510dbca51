-- Grain: two nodes between which a relation of a key to be derived again was ever believed that implies another, or is implied.
-- Inputs: keys, graph.edges, rules, graph.ontology_implications, graph.applied_implications.
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
)
SELECT DISTINCT least(b.subject, b.object) AS a, greatest(b.subject, b.object) AS b FROM believed AS b
JOIN keys AS k ON k.key_kind = 'edge' AND k.k1 = b.subject AND k.k2 = b.predicate AND k.k3 = b.k3
