-- Design rule 4: nothing is left to coalesce: no two open rows of one key meet with the same value.
SELECT a.dataset, a.node_id || ' ' || a.facet AS key, a.valid_from, a.recorded_from
FROM graph.nodes_open AS a JOIN graph.nodes_open AS b
  ON b.dataset = a.dataset AND b.node_id = a.node_id AND b.facet = a.facet AND a.valid_to = b.valid_from
WHERE a.class = b.class AND a.label IS NOT DISTINCT FROM b.label AND a.properties = b.properties
UNION ALL
SELECT a.dataset, a.edge_id, a.valid_from, a.recorded_from
FROM graph.edges_open AS a JOIN graph.edges_open AS b
  ON b.dataset = a.dataset AND b.edge_id = a.edge_id AND a.valid_to = b.valid_from AND b.origin = a.origin
WHERE a.fact IS NOT DISTINCT FROM b.fact AND a.properties = b.properties
