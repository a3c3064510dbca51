-- Grain: one row: an order-independent hash of the current graph and of the words its reports use.
-- Inputs: current_nodes, current_edges, class_labels.
SELECT (SELECT count(*)::VARCHAR || ':' || coalesce(sum(hash(n.node_id, n.class, n.label)), 0)::VARCHAR FROM current_nodes AS n) AS nodes,
       (SELECT count(*)::VARCHAR || ':' || coalesce(sum(hash(e.edge_id, e.subject, e.object, e.asserted, e.confidence, e.text)), 0)::VARCHAR
        FROM current_edges AS e) AS edges,
       (SELECT count(*)::VARCHAR || ':' || coalesce(sum(hash(c.class, c.label)), 0)::VARCHAR FROM class_labels AS c) AS words;
