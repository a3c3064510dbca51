-- Grain: one row per wanted community without an open row. Input: wanted_communities. Parameters: $dataset, $instant.
INSERT INTO graph.communities BY NAME
SELECT $dataset AS dataset, w.community_id, w.level, w.parent_id, w.member_count, w.edge_count,
       $instant::TIMESTAMPTZ AS recorded_from, 'infinity'::TIMESTAMPTZ AS recorded_to
FROM wanted_communities AS w
ANTI JOIN graph.communities AS c ON c.dataset = $dataset AND c.recorded_to = 'infinity' AND c.community_id = w.community_id
ORDER BY w.level, w.community_id;
