-- Grain: one row per source's ref of a node at $known_at (NULL: any). Input: graph.identities.
SELECT DISTINCT i.ref FROM graph.identities AS i
WHERE i.node_id = $id
  AND ($known_at IS NULL OR (i.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < i.recorded_to))
ORDER BY i.ref;
