-- Grain: one row per inferred fact and asserted fact that say the same of the same two nodes (an inverse, a symmetric or a
-- wider relation): they rest on one statement. A reader shows only the asserted one. By ordinal.
-- Inputs: graph.units, edges, support.
CREATE TABLE graph.repeats AS
    WITH said AS (
        SELECT u.ordinal, e.origin, least(e.subject, e.object) AS one, greatest(e.subject, e.object) AS other, p.dataset, p.statement_id
        FROM graph.units AS u
        JOIN graph.edges AS e
          ON e.dataset = u.dataset AND e.edge_id = u.id AND e.content_hash = u.content_hash
         AND e.valid_from = u.valid_from AND e.recorded_from = u.recorded_from
        JOIN graph.support AS p
          ON p.dataset = u.dataset AND p.kind = 'edge' AND p.row_id = u.id AND p.content_hash = u.content_hash
        WHERE u.kind = 'fact'
    )
    SELECT DISTINCT i.ordinal AS repeating, a.ordinal AS repeated
    FROM said AS i
    JOIN said AS a ON a.dataset = i.dataset AND a.statement_id = i.statement_id AND a.one = i.one AND a.other = i.other
    WHERE i.origin = 'inferred' AND a.origin = 'asserted'
    ORDER BY ALL;
