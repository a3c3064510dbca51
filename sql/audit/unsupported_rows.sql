-- Design section 3: statements justify a row when its belief begins, and as long as it lasts: one that asserts is live at its beginning,
-- and one at its end, which is now for what is believed now.
WITH rows_of AS (
    SELECT dataset, 'node' AS kind, node_id AS row_id, content_hash, valid_from, recorded_from, recorded_to FROM graph.nodes
    UNION ALL SELECT dataset, 'edge', edge_id, content_hash, valid_from, recorded_from, recorded_to FROM graph.edges
), supported AS (
    SELECT u.dataset, u.kind, u.row_id, u.content_hash, greatest(u.recorded_from, s.recorded_from) AS support_from,
           least(u.recorded_to, s.recorded_to) AS support_to
    FROM graph.support AS u JOIN graph.statements AS s ON s.dataset = u.dataset AND s.statement_id = u.statement_id
    WHERE s.polarity = 'assert'
)
SELECT r.dataset, r.row_id AS key, r.valid_from, r.recorded_from FROM rows_of AS r
LEFT JOIN supported AS u ON u.dataset = r.dataset AND u.kind = r.kind AND u.row_id = r.row_id AND u.content_hash = r.content_hash
GROUP BY r.dataset, r.kind, r.row_id, r.content_hash, r.valid_from, r.recorded_from, r.recorded_to
HAVING NOT coalesce(bool_or(u.support_from <= r.recorded_from AND r.recorded_from < u.support_to)
                    AND bool_or(u.support_from < r.recorded_to AND r.recorded_to <= u.support_to), FALSE)
