-- Grain: one row per edge of a sample of current belief: of each predicate the $per_predicate edges whose ends have the
-- most neighbours, $limit in all. Inputs: graph.nodes_now, graph.edges_now, graph.ontology_classes, graph.ontology_properties.
WITH degrees AS (
    SELECT d.node_id, count(*) AS degree
    FROM (SELECT e.subject AS node_id FROM graph.edges_now AS e UNION ALL SELECT e.object AS node_id FROM graph.edges_now AS e) AS d
    GROUP BY d.node_id
), labels AS (
    SELECT n.node_id, coalesce(min(n.label), n.node_id) AS label, min(n.class) AS class FROM graph.nodes_now AS n GROUP BY n.node_id
), class_labels AS (
    SELECT c.class, min(c.label) AS label FROM graph.ontology_classes AS c WHERE c.class = c.ancestor GROUP BY c.class
), property_labels AS (
    SELECT p.predicate, min(p.label) AS label FROM graph.ontology_properties AS p GROUP BY p.predicate
), ranked AS (
    SELECT e.subject, e.predicate, e.object,
           row_number() OVER (PARTITION BY e.predicate ORDER BY s.degree + o.degree DESC, e.edge_id) AS place
    FROM graph.edges_now AS e
    JOIN degrees AS s ON s.node_id = e.subject
    JOIN degrees AS o ON o.node_id = e.object
    WHERE e.origin = 'asserted' AND e.subject <> e.object
)
SELECT r.subject, s.label AS subject_label, coalesce(sc.label, s.class) AS subject_class,
       coalesce(p.label, r.predicate) AS predicate_label,
       r.object, o.label AS object_label, coalesce(oc.label, o.class) AS object_class
FROM ranked AS r
JOIN labels AS s ON s.node_id = r.subject
JOIN labels AS o ON o.node_id = r.object
LEFT JOIN class_labels AS sc ON sc.class = s.class
LEFT JOIN class_labels AS oc ON oc.class = o.class
LEFT JOIN property_labels AS p ON p.predicate = r.predicate
WHERE r.place <= $per_predicate
ORDER BY r.place, r.predicate, r.subject, r.object
LIMIT $limit;
