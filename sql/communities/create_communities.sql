-- Grain: session-local; one row per community of the new hierarchy. input_hash covers all that its report is made of: its
-- members with labels and classes, and its asserted facts. Inputs: wanted_members, wanted_edges, current_nodes.
CREATE OR REPLACE TEMP TABLE wanted_communities AS
    WITH members AS (
        SELECT m.community_id, m.parent_id, m.level, count(*) AS member_count,
               md5(string_agg(md5(CAST(to_json([n.node_id, n.class, n.label]) AS VARCHAR)), '' ORDER BY n.node_id)) AS hash
        FROM wanted_members AS m JOIN current_nodes AS n ON n.vertex = m.vertex
        GROUP BY m.community_id, m.parent_id, m.level
    ), facts AS (
        SELECT f.community_id, count(*) AS edge_count,
               md5(string_agg(md5(CAST(to_json([f.edge_id, f.text, CAST(f.asserted AS VARCHAR)]) AS VARCHAR)), ''
                              ORDER BY f.edge_id, f.text)) AS hash
        FROM wanted_edges AS f GROUP BY f.community_id
    )
    SELECT m.community_id, m.level, m.parent_id, m.member_count, coalesce(f.edge_count, 0) AS edge_count,
           unhex(md5(concat_ws('/', $version, m.hash, coalesce(f.hash, '')))) AS input_hash
    FROM members AS m LEFT JOIN facts AS f ON f.community_id = m.community_id;
