-- Grain: the versions of nodes and edges, open and closed, as one relation each.
CREATE OR REPLACE VIEW graph.nodes AS
    SELECT dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from,
           'infinity'::TIMESTAMPTZ AS recorded_to, confidence, content_hash, value_hash FROM graph.nodes_open
    UNION ALL
    SELECT dataset, node_id, facet, class, label, properties, valid_from, valid_to, recorded_from, recorded_to,
           confidence, content_hash, value_hash FROM graph.nodes_closed;

CREATE OR REPLACE VIEW graph.edges AS
    SELECT dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from,
           'infinity'::TIMESTAMPTZ AS recorded_to, confidence, content_hash, value_hash FROM graph.edges_open
    UNION ALL
    SELECT dataset, edge_id, subject, predicate, object, fact, properties, origin, valid_from, valid_to, recorded_from,
           recorded_to, confidence, content_hash, value_hash FROM graph.edges_closed;
