-- Grain: one row: how many rows of the three tables have to be opened or closed, and how many reports stay.
-- Inputs: wanted_communities, wanted_members, wanted_reports and the open rows of the three tables. Parameter: $dataset.
SELECT
    (SELECT count(*) FROM wanted_communities AS w ANTI JOIN graph.communities AS c
        ON c.dataset = $dataset AND c.recorded_to = 'infinity' AND c.community_id = w.community_id AND c.level = w.level
       AND c.parent_id IS NOT DISTINCT FROM w.parent_id AND c.member_count = w.member_count AND c.edge_count = w.edge_count) AS opened,
    (SELECT count(*) FROM graph.communities AS c ANTI JOIN wanted_communities AS w
        ON c.community_id = w.community_id AND c.level = w.level
       AND c.parent_id IS NOT DISTINCT FROM w.parent_id AND c.member_count = w.member_count AND c.edge_count = w.edge_count
      WHERE c.dataset = $dataset AND c.recorded_to = 'infinity') AS closed,
    (SELECT count(*) FROM wanted_reports AS w) AS reports_written;
