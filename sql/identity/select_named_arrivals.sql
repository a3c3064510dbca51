-- Grain: one node statement of the batch with its label. Input: arrivals, normalised.
SELECT n.dataset AS dataset, n.subject AS subject, n.predicate AS predicate, n.facet AS facet, n.value ->> 'label' AS label
FROM arrivals AS a JOIN normalised AS n ON n.number = a.number WHERE n.kind = 'node'
