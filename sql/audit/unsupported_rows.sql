-- Design section 3: statements justify a row as long as it is believed: one of them claims its value at its first moment on both clocks,
-- and one at the end of its belief, which is now for what is believed now.
WITH rows_of AS (
    SELECT dataset, 'node' AS kind, node_id AS row_id, facet, value_hash, content_hash, valid_from, recorded_from, recorded_to FROM graph.nodes
    UNION ALL
    SELECT dataset, 'edge', edge_id, CASE origin WHEN 'inferred' THEN 'inferred' ELSE '' END, value_hash, content_hash, valid_from,
           recorded_from, recorded_to FROM graph.edges
)
SELECT r.dataset, r.row_id AS key, r.valid_from, r.recorded_from FROM rows_of AS r
LEFT JOIN graph.claims AS c
  ON c.dataset = r.dataset AND c.kind = r.kind AND c.row_id = r.row_id AND c.facet = r.facet AND c.value_hash = r.value_hash
 AND c.valid_from <= r.valid_from AND r.valid_from < c.valid_to AND c.recorded_from < r.recorded_to AND r.recorded_from < c.recorded_to
GROUP BY r.dataset, r.kind, r.row_id, r.facet, r.content_hash, r.valid_from, r.recorded_from, r.recorded_to
HAVING NOT coalesce(bool_or(c.recorded_from <= r.recorded_from) AND bool_or(c.recorded_to >= r.recorded_to), FALSE)
