-- Grain: one pair of nodes in a group of three or more that merges join: each merge was weighed alone, and what it joins may still be two.
-- Input: merge_members.
WITH large AS (
    SELECT component FROM merge_members GROUP BY component HAVING count(*) > 2
)
SELECT x.node AS a, y.node AS b FROM merge_members AS x
JOIN large AS l ON l.component = x.component
JOIN merge_members AS y ON y.component = x.component AND x.node < y.node
