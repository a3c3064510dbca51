-- Grain: one row: how many compositions and implications of a dataset were added or dropped since belief last applied them.
-- Input: graph.ontology_compositions, graph.applied_compositions, changed_implications.
WITH declared AS (
    SELECT first, second, implied FROM graph.ontology_compositions WHERE dataset = $dataset
), applied AS (
    SELECT first, second, implied FROM graph.applied_compositions WHERE dataset = $dataset
), difference AS (
    (SELECT * FROM declared EXCEPT SELECT * FROM applied) UNION ALL (SELECT * FROM applied EXCEPT SELECT * FROM declared)
)
SELECT (SELECT count(*) FROM difference) + (SELECT count(*) FROM changed_implications) AS number
