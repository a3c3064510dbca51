-- Grain: session-local; one row per community of the new hierarchy and node in it, with the community's id, which is a
-- function of dataset, level and members alone. Inputs: assigned (level, community, parent, vertex), current_nodes.
-- Parameter: $dataset.
CREATE OR REPLACE TEMP TABLE wanted_members AS
    WITH named AS (
        SELECT a.level, a.community, a.parent, a.vertex, n.node_id
        FROM assigned AS a JOIN current_nodes AS n ON n.vertex = a.vertex
    ), ids AS (
        SELECT m.community, 'urn:stratagraph:community:' || substr(sha256(CAST(to_json(
                   list_concat([$dataset, CAST(min(m.level) AS VARCHAR)], list(m.node_id ORDER BY m.node_id))
               ) AS VARCHAR)), 1, 32) AS community_id
        FROM named AS m GROUP BY m.community
    )
    SELECT i.community_id, p.community_id AS parent_id, m.level::INTEGER AS level, m.vertex, m.node_id
    FROM named AS m JOIN ids AS i ON i.community = m.community LEFT JOIN ids AS p ON p.community = m.parent;
