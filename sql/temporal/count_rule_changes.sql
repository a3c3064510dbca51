-- Grain: one row: how many single-valued properties, implications, exclusions and compositions of a dataset were added or dropped since belief last applied them.
WITH declared AS (
    SELECT predicate, '' AS implied, FALSE AS swapped, 'single' AS rule FROM graph.ontology_properties WHERE single_valued AND dataset = $dataset
    UNION
    SELECT predicate, implied, swapped, 'implies' FROM graph.ontology_implications WHERE dataset = $dataset
    UNION
    SELECT predicate, excluded, swapped, 'excludes' FROM graph.ontology_exclusions WHERE dataset = $dataset
    UNION
    SELECT first || chr(10) || second, implied, FALSE, 'composes' FROM graph.ontology_compositions WHERE dataset = $dataset
), applied AS (
    SELECT predicate, '' AS implied, FALSE AS swapped, 'single' AS rule FROM graph.applied_properties WHERE dataset = $dataset
    UNION
    SELECT predicate, implied, swapped, 'implies' FROM graph.applied_implications WHERE dataset = $dataset
    UNION
    SELECT predicate, excluded, swapped, 'excludes' FROM graph.applied_exclusions WHERE dataset = $dataset
    UNION
    SELECT first || chr(10) || second, implied, FALSE, 'composes' FROM graph.applied_compositions WHERE dataset = $dataset
), difference AS (
    (SELECT * FROM declared EXCEPT SELECT * FROM applied) UNION ALL (SELECT * FROM applied EXCEPT SELECT * FROM declared)
)
SELECT count(*) AS number FROM difference
