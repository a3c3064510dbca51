-- Design rule 4: no two rows of one facet of one node overlap on both clocks.
SELECT a.dataset, a.node_id || ' ' || a.facet AS key, a.valid_from, a.recorded_from
FROM graph.nodes AS a JOIN graph.nodes AS b
  ON b.dataset = a.dataset AND b.node_id = a.node_id AND b.facet = a.facet
 AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to AND a.recorded_from < b.recorded_to AND b.recorded_from < a.recorded_to
WHERE (a.content_hash, a.recorded_from) < (b.content_hash, b.recorded_from)
UNION ALL -- and none stands there twice
SELECT dataset, node_id || ' ' || facet AS key, valid_from, recorded_from
FROM graph.nodes
GROUP BY dataset, node_id, facet, content_hash, valid_from, valid_to, recorded_from, recorded_to
HAVING count(*) > 1
