-- Grain: one row per facet row of a node at a point of both clocks (NULL: any). Input: graph.nodes.
SELECT n.dataset, n.facet, n.class, n.label, n.properties, n.confidence, graph.iso(n.valid_from) AS valid_from,
       graph.iso(n.valid_to) AS valid_to, graph.iso(n.recorded_from) AS recorded_from, graph.iso(n.recorded_to) AS recorded_to
FROM graph.nodes AS n
WHERE n.node_id = $id
  AND ($valid_at IS NULL OR (n.valid_from <= $valid_at::TIMESTAMPTZ AND $valid_at::TIMESTAMPTZ < n.valid_to))
  AND ($known_at IS NULL OR (n.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < n.recorded_to))
ORDER BY n.dataset, n.confidence DESC, n.facet, n.valid_from DESC, n.recorded_from DESC, n.class;
