-- Grain: one row per pair of the $limit largest leaf communities that current edges join, with the number of edges; a pair of a
-- community with itself counts what holds it together. Inputs: graph.community_members, graph.community_reports, graph.edges_now.
WITH leaves AS (
    SELECT m.node_id, arg_max(m.community_id, (m.level, m.community_id)) AS community_id
    FROM graph.community_members AS m WHERE m.recorded_to = 'infinity' GROUP BY m.node_id
), largest AS (
    SELECT l.community_id FROM leaves AS l GROUP BY l.community_id ORDER BY count(*) DESC, l.community_id LIMIT $limit
), shown AS (
    SELECT l.node_id, l.community_id FROM leaves AS l JOIN largest AS g ON g.community_id = l.community_id
), titles AS (
    SELECT r.community_id, min(r.title) AS title FROM graph.community_reports AS r WHERE r.recorded_to = 'infinity' GROUP BY r.community_id
), counted AS (
    SELECT least(a.community_id, b.community_id) AS first_id, greatest(a.community_id, b.community_id) AS second_id, count(*) AS edges
    FROM graph.edges_now AS e
    JOIN shown AS a ON a.node_id = e.subject
    JOIN shown AS b ON b.node_id = e.object
    GROUP BY first_id, second_id
)
SELECT c.first_id, coalesce(s.title, c.first_id) AS first_title, c.second_id, coalesce(t.title, c.second_id) AS second_title, c.edges
FROM counted AS c
LEFT JOIN titles AS s ON s.community_id = c.first_id
LEFT JOIN titles AS t ON t.community_id = c.second_id
ORDER BY c.first_id, c.second_id;
