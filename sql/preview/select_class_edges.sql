-- Grain: one row per (class, predicate, class) of current belief with the number of its edges, the $limit most frequent.
-- Inputs: graph.nodes_now, graph.edges_now, graph.ontology_classes, graph.ontology_properties.
WITH classes AS (
    SELECT n.node_id, min(n.class) AS class FROM graph.nodes_now AS n GROUP BY n.node_id
), class_labels AS (
    SELECT c.class, min(c.label) AS label FROM graph.ontology_classes AS c WHERE c.class = c.ancestor GROUP BY c.class
), property_labels AS (
    SELECT p.predicate, min(p.label) AS label FROM graph.ontology_properties AS p GROUP BY p.predicate
), counted AS (
    SELECT s.class AS subject_class, e.predicate, o.class AS object_class, count(*) AS edges
    FROM graph.edges_now AS e
    JOIN classes AS s ON s.node_id = e.subject
    JOIN classes AS o ON o.node_id = e.object
    WHERE e.origin = 'asserted'
    GROUP BY s.class, e.predicate, o.class
)
SELECT coalesce(sc.label, c.subject_class) AS subject_class, coalesce(p.label, c.predicate) AS predicate_label,
       coalesce(oc.label, c.object_class) AS object_class, c.edges
FROM counted AS c
LEFT JOIN class_labels AS sc ON sc.class = c.subject_class
LEFT JOIN class_labels AS oc ON oc.class = c.object_class
LEFT JOIN property_labels AS p ON p.predicate = c.predicate
ORDER BY c.edges DESC, subject_class, predicate_label, object_class
LIMIT $limit;
