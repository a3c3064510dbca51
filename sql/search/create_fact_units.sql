-- Grain: one row per row of an edge. Text: the fact as it was put, else made of labels that were believed when the row was
-- recorded (a later name must not appear in an earlier belief), with the edge's properties.
-- Inputs: graph.edges, node_labels, property_labels, statement_sources.
CREATE OR REPLACE TEMP VIEW fact_units AS
    WITH ends AS (
        SELECT DISTINCT e.dataset, e.subject AS node_id, e.valid_from, e.valid_to, e.recorded_from FROM graph.edges AS e
        UNION
        SELECT DISTINCT e.dataset, e.object, e.valid_from, e.valid_to, e.recorded_from FROM graph.edges AS e
    ), named AS (
        SELECT e.dataset, e.node_id, e.valid_from, e.valid_to, e.recorded_from,
               min_by(l.label, (CASE WHEN l.valid_from < e.valid_to AND e.valid_from < l.valid_to THEN 0 ELSE 1 END, l.facet,
                                l.valid_from, l.label)) AS label
        FROM ends AS e
        JOIN node_labels AS l ON l.dataset = e.dataset AND l.node_id = e.node_id
         AND l.recorded_from <= e.recorded_from AND e.recorded_from < l.recorded_to
        GROUP BY e.dataset, e.node_id, e.valid_from, e.valid_to, e.recorded_from
    )
    SELECT e.dataset, 1 AS kind_order, 'fact' AS kind, e.edge_id AS id,
           coalesce(nullif(e.fact, ''), concat_ws(' ',
               coalesce(a.label, readable(e.subject)), coalesce(p.label, lower(readable(e.predicate))),
               coalesce(b.label, readable(e.object))
           ) || CASE WHEN described(e.properties) <> '' THEN ' (' || described(e.properties) || ')' ELSE '' END) AS text,
           CASE WHEN e.fact <> '' THEN concat_ws(' ', a.label, p.label, b.label, described(e.properties)) END AS context,
           s.source, NULL::VARCHAR AS document_id, NULL::BIGINT AS position, e.content_hash,
           e.subject, e.object, e.valid_from, e.valid_to, e.recorded_from, e.recorded_to
    FROM graph.edges AS e
    LEFT JOIN named AS a ON a.dataset = e.dataset AND a.node_id = e.subject AND a.valid_from = e.valid_from
     AND a.valid_to = e.valid_to AND a.recorded_from = e.recorded_from
    LEFT JOIN named AS b ON b.dataset = e.dataset AND b.node_id = e.object AND b.valid_from = e.valid_from
     AND b.valid_to = e.valid_to AND b.recorded_from = e.recorded_from
    LEFT JOIN property_labels AS p ON p.dataset = e.dataset AND p.predicate = e.predicate
    LEFT JOIN statement_sources AS s
      ON s.dataset = e.dataset AND s.kind = 'edge' AND s.row_id = e.edge_id AND s.content_hash = e.content_hash;
