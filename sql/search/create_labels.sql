-- Grain: session-local views of names. node_labels: one row per labelled node row; class_labels and property_labels: one row
-- per IRI that the ontology names. Inputs: graph.nodes, graph.ontology_classes, graph.ontology_properties.
CREATE OR REPLACE TEMP VIEW node_labels AS
    SELECT n.dataset, n.node_id, n.label, n.facet, n.valid_from, n.valid_to, n.recorded_from, n.recorded_to
    FROM graph.nodes AS n WHERE n.label IS NOT NULL AND n.label <> '';
CREATE OR REPLACE TEMP VIEW class_labels AS
    SELECT o.dataset, o.class, min(o.label) AS label FROM graph.ontology_classes AS o
    WHERE o.class = o.ancestor AND o.label <> '' GROUP BY o.dataset, o.class;
CREATE OR REPLACE TEMP VIEW property_labels AS
    SELECT o.dataset, o.predicate, min(o.label) AS label FROM graph.ontology_properties AS o
    WHERE o.label <> '' GROUP BY o.dataset, o.predicate;
