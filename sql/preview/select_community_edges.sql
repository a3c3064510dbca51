-- Grain: one row per pair of leaf communities joined by current edges, with the number of edges, the $limit most frequent;
-- a pair of a community with itself counts what holds it together. Inputs: graph.communities, graph.community_members,
-- graph.community_reports, graph.edges_now.
WITH leaves AS (
    SELECT m.node_id, m.community_id
    FROM graph.community_members AS m
    WHERE m.recorded_to = 'infinity'
    QUALIFY row_number() OVER (PARTITION BY m.node_id ORDER BY m.level DESC, m.community_id) = 1
), titles AS (
    SELECT r.community_id, min(r.title) AS title FROM graph.community_reports AS r WHERE r.recorded_to = 'infinity' GROUP BY r.community_id
), counted AS (
    SELECT least(a.community_id, b.community_id) AS first_id, greatest(a.community_id, b.community_id) AS second_id, count(*) AS edges
    FROM graph.edges_now AS e
    JOIN leaves AS a ON a.node_id = e.subject
    JOIN leaves AS b ON b.node_id = e.object
    GROUP BY first_id, second_id
)
SELECT c.first_id, coalesce(s.title, c.first_id) AS first_title, c.second_id, coalesce(t.title, c.second_id) AS second_title, c.edges
FROM counted AS c
LEFT JOIN titles AS s ON s.community_id = c.first_id
LEFT JOIN titles AS t ON t.community_id = c.second_id
ORDER BY c.edges DESC, c.first_id, c.second_id
LIMIT $limit;
