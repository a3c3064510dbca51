-- Grain: one row per edge of a sample of current belief, that hangs together where the graph does: of each of the $seeds classes
-- with the most kinds of relations the node with the most of them, of each of its relations the $per_relation edges whose other ends
-- have the most neighbours, and of each relation of those ends one edge.
-- Inputs: graph.nodes_now, graph.edges_now, graph.ontology_classes, graph.ontology_properties.
WITH labels AS (
    SELECT n.node_id, coalesce(min(n.label), n.node_id) AS label, min(n.class) AS class FROM graph.nodes_now AS n GROUP BY n.node_id
), ends AS (
    SELECT e.edge_id, e.subject AS node_id, e.predicate, 'out' AS direction, e.object AS other_id FROM graph.edges_now AS e
    WHERE e.origin = 'asserted' AND e.subject <> e.object
    UNION ALL
    SELECT e.edge_id, e.object, e.predicate, 'in', e.subject FROM graph.edges_now AS e
    WHERE e.origin = 'asserted' AND e.subject <> e.object
), degrees AS (
    SELECT x.node_id, l.class, count(DISTINCT x.predicate || ' ' || x.direction) AS ways, count(*) AS degree
    FROM ends AS x JOIN labels AS l ON l.node_id = x.node_id
    GROUP BY x.node_id, l.class
), best AS (
    SELECT d.node_id, d.class, d.ways, d.degree,
           row_number() OVER (PARTITION BY d.class ORDER BY d.ways DESC, d.degree DESC, d.node_id) AS place
    FROM degrees AS d
), seeds AS (
    SELECT b.node_id FROM best AS b WHERE b.place = 1 ORDER BY b.ways DESC, b.class LIMIT $seeds
), first_hop AS (
    SELECT x.edge_id, x.other_id,
           row_number() OVER (PARTITION BY x.node_id, x.predicate, x.direction ORDER BY d.degree DESC, x.edge_id) AS place
    FROM ends AS x JOIN seeds AS s ON s.node_id = x.node_id JOIN degrees AS d ON d.node_id = x.other_id
), reached AS (
    SELECT DISTINCT f.other_id AS node_id FROM first_hop AS f WHERE f.place <= $per_relation
), second_hop AS (
    SELECT x.edge_id,
           row_number() OVER (PARTITION BY x.node_id, x.predicate, x.direction ORDER BY d.ways DESC, d.degree DESC, x.edge_id) AS place
    FROM ends AS x JOIN reached AS r ON r.node_id = x.node_id JOIN degrees AS d ON d.node_id = x.other_id
), picked AS (
    SELECT f.edge_id FROM first_hop AS f WHERE f.place <= $per_relation
    UNION
    SELECT s.edge_id FROM second_hop AS s WHERE s.place = 1
), class_labels AS (
    SELECT c.class, min(c.label) AS label FROM graph.ontology_classes AS c WHERE c.class = c.ancestor GROUP BY c.class
), property_labels AS (
    SELECT p.predicate, min(p.label) AS label FROM graph.ontology_properties AS p GROUP BY p.predicate
)
SELECT DISTINCT e.subject, s.label AS subject_label, coalesce(sc.label, s.class) AS subject_class,
       coalesce(p.label, e.predicate) AS predicate_label,
       e.object, o.label AS object_label, coalesce(oc.label, o.class) AS object_class
FROM picked AS k
JOIN graph.edges_now AS e ON e.edge_id = k.edge_id
JOIN labels AS s ON s.node_id = e.subject
JOIN labels AS o ON o.node_id = e.object
LEFT JOIN class_labels AS sc ON sc.class = s.class
LEFT JOIN class_labels AS oc ON oc.class = o.class
LEFT JOIN property_labels AS p ON p.predicate = e.predicate
ORDER BY e.subject, predicate_label, e.object;
