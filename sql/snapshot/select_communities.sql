-- Grain: one row per current community with its report and its first members by name. $level NULL: all levels.
-- Inputs: graph.communities, community_members, community_reports, nodes_open.
WITH wanted AS (
    SELECT c.* FROM graph.communities AS c
    WHERE c.recorded_to = 'infinity' AND ($level IS NULL OR c.level = $level)
    ORDER BY c.level, c.member_count DESC, c.dataset, c.community_id LIMIT $limit
), members AS (
    SELECT m.dataset, m.community_id, list_sort(list(m.node_id))[1:20] AS members
    FROM graph.community_members AS m SEMI JOIN wanted AS w ON w.dataset = m.dataset AND w.community_id = m.community_id
    WHERE m.recorded_to = 'infinity' GROUP BY m.dataset, m.community_id
)
SELECT w.dataset, w.community_id AS id, w.level, w.parent_id, w.member_count, w.edge_count, r.title, r.summary, r.findings,
       r.coverage, r.method, m.members, graph.iso(w.recorded_from) AS recorded_from
FROM wanted AS w
LEFT JOIN graph.community_reports AS r
  ON r.dataset = w.dataset AND r.community_id = w.community_id AND r.recorded_to = 'infinity'
LEFT JOIN members AS m ON m.dataset = w.dataset AND m.community_id = w.community_id
ORDER BY w.level, w.member_count DESC, w.dataset, w.community_id;
