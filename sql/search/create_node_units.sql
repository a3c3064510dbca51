-- Grain: one row per row of a node (a facet's version). Text: label, class and a few properties. A facet without a label, such as an
-- attribute that was read from text, is called as the node was when it was recorded.
-- Inputs: graph.nodes, node_labels, class_labels, statement_sources.
CREATE OR REPLACE TEMP VIEW node_units AS
    WITH named AS (
        SELECT n.dataset, n.content_hash, n.recorded_from, min_by(l.label, (l.facet, l.valid_from, l.label)) AS label
        FROM graph.nodes AS n
        JOIN node_labels AS l ON l.dataset = n.dataset AND l.node_id = n.node_id
         AND l.recorded_from <= n.recorded_from AND n.recorded_from < l.recorded_to
        WHERE n.label IS NULL
        GROUP BY n.dataset, n.content_hash, n.recorded_from
    )
    SELECT n.dataset, 2 AS kind_order, 'node' AS kind, n.node_id AS id,
           coalesce(nullif(n.label, ''), o.label, readable(n.node_id)) || ' (' || coalesce(l.label, readable(n.class)) || ')'
               || CASE WHEN described(n.properties) <> '' THEN ': ' || described(n.properties) ELSE '' END AS text,
           NULL::VARCHAR AS context, s.source, NULL::VARCHAR AS document_id, NULL::BIGINT AS position, n.content_hash,
           n.node_id AS subject, NULL::VARCHAR AS object, n.valid_from, n.valid_to, n.recorded_from, n.recorded_to
    FROM graph.nodes AS n
    LEFT JOIN named AS o ON o.dataset = n.dataset AND o.content_hash = n.content_hash AND o.recorded_from = n.recorded_from
    LEFT JOIN class_labels AS l ON l.dataset = n.dataset AND l.class = n.class
    LEFT JOIN statement_sources AS s
      ON s.dataset = n.dataset AND s.kind = 'node' AND s.row_id = n.node_id AND s.content_hash = n.content_hash;
