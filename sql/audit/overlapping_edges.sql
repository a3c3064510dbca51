-- Design rule 4: no two rows of one relation overlap on both clocks.
SELECT a.dataset, a.edge_id AS key, a.valid_from, a.recorded_from
FROM graph.edges AS a JOIN graph.edges AS b
  ON b.dataset = a.dataset AND b.edge_id = a.edge_id
 AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to AND a.recorded_from < b.recorded_to AND b.recorded_from < a.recorded_to
WHERE (a.content_hash, a.recorded_from) < (b.content_hash, b.recorded_from)
UNION ALL -- and none stands there twice
SELECT dataset, edge_id AS key, valid_from, recorded_from
FROM graph.edges
GROUP BY dataset, edge_id, content_hash, valid_from, valid_to, recorded_from, recorded_to
HAVING count(*) > 1
