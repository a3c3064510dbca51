-- Grain: one row: how many nodes and edges are believed at a point. Parameters: $valid_at, $known_at.
SELECT (SELECT count(*) FROM graph.nodes_as_of($valid_at, $known_at)) AS nodes,
       (SELECT count(*) FROM graph.edges_as_of($valid_at, $known_at)) AS edges;
