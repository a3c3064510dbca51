-- Grain: one ref from text that stands for itself so far, with its class and label. Input: graph.statements, named_arrivals, mapping.
WITH named AS (
    SELECT dataset, subject, predicate, value ->> 'label' AS label FROM graph.statements
    WHERE kind = 'node' AND facet = 'text' AND recorded_to = 'infinity'
    UNION
    SELECT dataset, subject, predicate, label FROM named_arrivals WHERE facet = 'text'
)
SELECT DISTINCT n.dataset AS dataset, n.subject AS ref, n.predicate AS class, n.label AS label FROM named AS n
LEFT JOIN mapping AS m ON m.dataset = n.dataset AND m.ref = n.subject
WHERE m.ref IS NULL AND n.label IS NOT NULL
