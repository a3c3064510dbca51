-- Grain: one row of {table} of a community that held the erased entity. Input: erased_communities.
DELETE FROM graph.{table} AS t USING erased_communities AS c WHERE t.dataset = $dataset AND t.community_id = c.community_id
