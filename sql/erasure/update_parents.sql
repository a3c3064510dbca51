-- Grain: one remaining community within an erased one. Input: erased_communities.
UPDATE graph.communities AS t SET parent_id = NULL FROM erased_communities AS c WHERE t.dataset = $dataset AND t.parent_id = c.community_id
