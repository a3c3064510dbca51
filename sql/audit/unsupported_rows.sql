-- Design section 3: every open row is justified by at least one live statement.
WITH live AS (
    SELECT DISTINCT u.dataset, u.row_id, u.content_hash FROM graph.support AS u
    JOIN graph.statements AS s ON s.dataset = u.dataset AND s.statement_id = u.statement_id
    WHERE u.recorded_to = 'infinity' AND s.recorded_to = 'infinity'
), open_rows AS (
    SELECT dataset, node_id AS row_id, content_hash, valid_from, recorded_from FROM graph.nodes_open
    UNION ALL SELECT dataset, edge_id, content_hash, valid_from, recorded_from FROM graph.edges_open
)
SELECT o.dataset, o.row_id AS key, o.valid_from, o.recorded_from FROM open_rows AS o
LEFT JOIN live AS l ON l.dataset = o.dataset AND l.row_id = o.row_id AND l.content_hash = o.content_hash
WHERE l.row_id IS NULL
