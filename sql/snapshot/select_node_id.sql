-- Grain: at most one row: the node that an id or a source's ref names at $known_at (NULL: now).
-- Inputs: graph.nodes, graph.identities.
SELECT node_id FROM (
    SELECT DISTINCT n.node_id, 0 AS place FROM graph.nodes AS n WHERE n.node_id = $id
    UNION ALL
    SELECT DISTINCT i.node_id, 1 FROM graph.identities AS i
    WHERE i.ref = $id AND i.recorded_from <= coalesce($known_at::TIMESTAMPTZ, now())
      AND coalesce($known_at::TIMESTAMPTZ, now()) < i.recorded_to
) AS found ORDER BY place, node_id LIMIT 1;
