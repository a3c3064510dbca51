-- Grain: at most one row: the node that an id or a source's ref names. At $known_at, a ref that was given to a node names that
-- node, even if it was a node of its own before a merge; at any time (NULL), a node of its own comes first.
-- Inputs: graph.nodes, graph.identities.
SELECT node_id FROM (
    SELECT DISTINCT n.node_id, CASE WHEN $known_at IS NULL THEN 0 ELSE 2 END AS place, n.recorded_from
    FROM graph.nodes AS n WHERE n.node_id = $id
    UNION ALL
    SELECT i.node_id, 1, i.recorded_from FROM graph.identities AS i
    WHERE i.ref = $id
      AND ($known_at IS NULL OR (i.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < i.recorded_to))
) AS found ORDER BY place, recorded_from DESC, node_id LIMIT 1;
