-- Grain: open reports of communities that are no more, or whose input changed, are closed. Input: wanted_communities.
-- Parameters: $dataset, $instant.
UPDATE graph.community_reports AS r SET recorded_to = $instant::TIMESTAMPTZ
WHERE r.dataset = $dataset AND r.recorded_to = 'infinity' AND NOT EXISTS (
    SELECT 1 FROM wanted_communities AS w WHERE w.community_id = r.community_id AND w.input_hash = r.input_hash
);
