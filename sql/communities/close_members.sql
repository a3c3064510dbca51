-- Grain: open rows of graph.community_members that are not as they should be now are closed. Input: wanted_members.
-- Parameters: $dataset, $instant.
UPDATE graph.community_members AS m SET recorded_to = $instant::TIMESTAMPTZ
WHERE m.dataset = $dataset AND m.recorded_to = 'infinity' AND NOT EXISTS (
    SELECT 1 FROM wanted_members AS w WHERE w.community_id = m.community_id AND w.node_id = m.node_id AND w.level = m.level
);
