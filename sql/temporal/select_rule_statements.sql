-- Grain: one live statement of a property that became single-valued, or ceased to be, since belief last applied the rules.
-- Input: graph.statements, rules, graph.applied_properties.
WITH applied AS (
    SELECT dataset, predicate FROM graph.applied_properties WHERE dataset = $dataset
), difference AS (
    (SELECT dataset, predicate FROM rules EXCEPT SELECT dataset, predicate FROM applied)
    UNION
    (SELECT dataset, predicate FROM applied EXCEPT SELECT dataset, predicate FROM rules)
)
SELECT s.* FROM graph.statements AS s
JOIN difference AS d ON d.dataset = s.dataset AND d.predicate = s.predicate
WHERE s.kind = 'edge' AND s.recorded_to = 'infinity'
