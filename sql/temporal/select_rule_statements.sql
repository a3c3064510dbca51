-- Grain: one live statement of a property that became single-valued, or ceased to be, that got or lost an exclusion since belief last applied
-- the rules, or that excludes such a one. Input: graph.statements, rules, graph.applied_properties, graph.ontology_exclusions,
-- graph.applied_exclusions.
WITH applied AS (
    SELECT dataset, predicate FROM graph.applied_properties WHERE dataset = $dataset
), declared AS (
    SELECT dataset, predicate, excluded, swapped FROM graph.ontology_exclusions WHERE dataset = $dataset
), excluded AS (
    SELECT dataset, predicate, excluded, swapped FROM graph.applied_exclusions WHERE dataset = $dataset
), changed AS (
    (SELECT * FROM declared EXCEPT SELECT * FROM excluded) UNION (SELECT * FROM excluded EXCEPT SELECT * FROM declared)
), difference AS (
    (SELECT dataset, predicate FROM rules EXCEPT SELECT dataset, predicate FROM applied)
    UNION
    (SELECT dataset, predicate FROM applied EXCEPT SELECT dataset, predicate FROM rules)
    UNION
    SELECT dataset, predicate FROM changed
    UNION
    SELECT dataset, excluded FROM changed
), either AS (
    SELECT * FROM declared UNION SELECT * FROM excluded
), concerned AS (
    SELECT dataset, predicate FROM difference
    UNION
    SELECT e.dataset, e.predicate FROM either AS e JOIN difference AS d ON d.dataset = e.dataset AND d.predicate = e.excluded
)
SELECT s.* FROM graph.statements AS s
JOIN concerned AS c ON c.dataset = s.dataset AND c.predicate = s.predicate
WHERE s.kind = 'edge' AND s.recorded_to = 'infinity'
