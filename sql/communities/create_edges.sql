-- Grain: session-local; one row per edge believed now with both its ends, by their numbers.
-- Inputs: graph.edges_open, current_nodes, property_labels. Parameters: $dataset, $now.
CREATE OR REPLACE TEMP TABLE current_edges AS
    SELECT e.edge_id, s.vertex AS subject, e.predicate, o.vertex AS object, e.origin = 'asserted' AS asserted, e.content_hash, e.confidence,
           coalesce(nullif(e.fact, ''), concat_ws(' ', s.label, coalesce(p.label, lower(readable(e.predicate))), o.label)) AS text
    FROM graph.edges_open AS e
    JOIN current_nodes AS s ON s.node_id = e.subject
    JOIN current_nodes AS o ON o.node_id = e.object
    LEFT JOIN property_labels AS p ON p.dataset = e.dataset AND p.predicate = e.predicate
    WHERE e.dataset = $dataset AND e.valid_from <= $now::TIMESTAMPTZ AND $now::TIMESTAMPTZ < e.valid_to;
