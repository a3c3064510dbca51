-- Grain: session-local; one row per community and edge inside it. Inputs: wanted_members, current_edges.
CREATE OR REPLACE TEMP TABLE wanted_edges AS
    SELECT s.community_id, e.edge_id, e.subject, e.predicate, e.object, e.asserted, e.confidence, e.text
    FROM current_edges AS e
    JOIN wanted_members AS s ON s.vertex = e.subject
    JOIN wanted_members AS o ON o.vertex = e.object AND o.community_id = s.community_id;
