-- Design rule 4: a row stands for the longest time in which it is believed: none ends in the moment in which it begins again.
SELECT a.dataset, a.node_id || ' ' || a.facet AS key, b.valid_from, b.recorded_from
FROM graph.nodes AS a JOIN graph.nodes AS b
  ON b.dataset = a.dataset AND b.node_id = a.node_id AND b.facet = a.facet AND b.content_hash = a.content_hash
 AND b.confidence = a.confidence AND b.recorded_from = a.recorded_to
UNION ALL
SELECT a.dataset, a.edge_id, b.valid_from, b.recorded_from
FROM graph.edges AS a JOIN graph.edges AS b
  ON b.dataset = a.dataset AND b.edge_id = a.edge_id AND b.origin = a.origin AND b.content_hash = a.content_hash
 AND b.confidence = a.confidence AND b.recorded_from = a.recorded_to
