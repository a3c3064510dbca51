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

-- One row: the statement justifies the row with this content_hash, while both are recorded: it claims the row's value on a part of its
-- valid time at least.
CREATE OR REPLACE VIEW graph.support AS
    WITH believed AS (
        SELECT dataset, 'node' AS kind, node_id AS row_id, facet, value_hash, content_hash, valid_from, valid_to, recorded_from, recorded_to
        FROM graph.nodes
        UNION ALL
        SELECT dataset, 'edge', edge_id, CASE origin WHEN 'inferred' THEN 'inferred' ELSE '' END, value_hash, content_hash, valid_from,
               valid_to, recorded_from, recorded_to
        FROM graph.edges
    )
    SELECT DISTINCT b.dataset AS dataset, b.kind AS kind, b.row_id AS row_id, b.content_hash AS content_hash, c.statement_id AS statement_id,
           greatest(b.recorded_from, c.recorded_from) AS recorded_from, least(b.recorded_to, c.recorded_to) AS recorded_to
    FROM believed AS b
    JOIN graph.claims AS c ON c.dataset = b.dataset AND c.row_id = b.row_id AND c.facet = b.facet AND c.value_hash = b.value_hash
        AND c.kind = b.kind AND c.valid_from < b.valid_to AND b.valid_from < c.valid_to
        AND c.recorded_from < b.recorded_to AND b.recorded_from < c.recorded_to;

-- Whether a content hash can be that of a row of this node (of an edge: of its subject). It says nothing that the id does not, and lets
-- DuckDB skip row groups sorted by it: of a text it keeps eight bytes, which all IRIs share.
CREATE OR REPLACE MACRO graph.begins_with(hash, of_id) AS
    hash >= unhex(left(md5(of_id), 16) || '0000000000000000') AND hash <= unhex(left(md5(of_id), 16) || 'ffffffffffffffff');
