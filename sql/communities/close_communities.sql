-- Grain: open rows of graph.communities that are not as they should be now are closed. Input: wanted_communities.
-- Parameters: $dataset, $instant.
UPDATE graph.communities AS c SET recorded_to = $instant::TIMESTAMPTZ
WHERE c.dataset = $dataset AND c.recorded_to = 'infinity' AND NOT EXISTS (
    SELECT 1 FROM wanted_communities AS w WHERE w.community_id = c.community_id AND w.level = c.level
       AND w.parent_id IS NOT DISTINCT FROM c.parent_id AND w.member_count = c.member_count AND w.edge_count = c.edge_count
);
