-- Design rule 4: nothing is left to coalesce: no two rows of one key that were believed at one time meet with the same value.
SELECT a.dataset, a.node_id || ' ' || a.facet AS key, b.valid_from, b.recorded_from
FROM graph.nodes AS a JOIN graph.nodes AS b
  ON b.dataset = a.dataset AND b.node_id = a.node_id AND b.facet = a.facet AND b.value_hash = a.value_hash AND b.valid_from = a.valid_to
WHERE a.recorded_from < b.recorded_to AND b.recorded_from < a.recorded_to
UNION ALL
SELECT a.dataset, a.edge_id, b.valid_from, b.recorded_from
FROM graph.edges AS a JOIN graph.edges AS b
  ON b.dataset = a.dataset AND b.edge_id = a.edge_id AND b.origin = a.origin AND b.value_hash = a.value_hash AND b.valid_from = a.valid_to
WHERE a.recorded_from < b.recorded_to AND b.recorded_from < a.recorded_to
