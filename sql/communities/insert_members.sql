-- Grain: one row per wanted community and member without an open row. Input: wanted_members. Parameters: $dataset, $instant.
INSERT INTO graph.community_members BY NAME
SELECT $dataset AS dataset, w.community_id, w.level, w.node_id,
       $instant::TIMESTAMPTZ AS recorded_from, 'infinity'::TIMESTAMPTZ AS recorded_to
FROM wanted_members AS w
ANTI JOIN graph.community_members AS m
  ON m.dataset = $dataset AND m.recorded_to = 'infinity' AND m.community_id = w.community_id AND m.node_id = w.node_id
ORDER BY w.level, w.community_id, w.node_id;
