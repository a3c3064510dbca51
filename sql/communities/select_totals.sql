-- Grain: one row: the open communities, how many of them are leaves, and the levels. Parameter: $dataset.
WITH open AS (SELECT * FROM graph.communities AS c WHERE c.dataset = $dataset AND c.recorded_to = 'infinity')
SELECT count(*) AS communities,
       count(*) FILTER (WHERE o.community_id NOT IN (SELECT p.parent_id FROM open AS p WHERE p.parent_id IS NOT NULL)) AS leaves,
       coalesce(max(o.level) + 1, 0) AS levels
FROM open AS o;
