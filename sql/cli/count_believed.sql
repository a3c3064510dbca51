-- Grain: one row, the number of entities and relations believed at a point of both clocks.
-- Inputs: graph.nodes_as_of, graph.edges_as_of; $valid_at, $known_at (instants as text).
SELECT (SELECT count(DISTINCT (n.dataset, n.node_id)) FROM graph.nodes_as_of($valid_at, $known_at) AS n) AS entities,
       (SELECT count(*) FROM graph.edges_as_of($valid_at, $known_at) AS e) AS relations;
