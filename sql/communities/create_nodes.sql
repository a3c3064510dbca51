-- Grain: session-local; one row per node believed now, numbered in order of its id, so that the same graph has the same
-- numbers. Label and class of its surest facet. Input: graph.nodes_open. Parameters: $dataset, $now.
CREATE OR REPLACE TEMP TABLE current_nodes AS
    SELECT row_number() OVER (ORDER BY n.node_id) - 1 AS vertex, n.node_id, n.class,
           coalesce(n.label, readable(n.node_id)) AS label
    FROM (
        SELECT o.node_id, min_by(o.class, (o.label IS NULL, -o.confidence, o.facet, o.class)) AS class,
               min_by(nullif(o.label, ''), (o.label IS NULL, -o.confidence, o.facet, o.class)) AS label
        FROM graph.nodes_open AS o
        WHERE o.dataset = $dataset AND o.valid_from <= $now::TIMESTAMPTZ AND $now::TIMESTAMPTZ < o.valid_to
        GROUP BY o.node_id
    ) AS n;
