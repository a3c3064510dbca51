-- Grain: one row: how many single-valued properties and implications were added or dropped since belief last applied the ontology.
WITH properties AS (
    (SELECT dataset, predicate FROM graph.ontology_properties WHERE single_valued EXCEPT SELECT dataset, predicate FROM graph.applied_properties)
    UNION ALL
    (SELECT dataset, predicate FROM graph.applied_properties
     EXCEPT SELECT dataset, predicate FROM graph.ontology_properties WHERE single_valued)
), implications AS (
    (SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications
     EXCEPT SELECT dataset, predicate, implied, swapped FROM graph.applied_implications)
    UNION ALL
    (SELECT dataset, predicate, implied, swapped FROM graph.applied_implications
     EXCEPT SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications)
)
SELECT (SELECT count(*) FROM properties) + (SELECT count(*) FROM implications) AS number
