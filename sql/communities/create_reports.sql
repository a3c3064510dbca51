-- Grain: session-local; one row per community whose report is not written yet: an extractive report from its most central
-- nodes and asserted facts (inferred ones repeat them), with a ledger of what it cites.
-- Inputs: wanted_communities, wanted_members, wanted_edges, current_nodes, class_labels, graph.community_reports.
-- Parameters: $dataset, $findings, $sentences, $titled.
CREATE OR REPLACE TEMP TABLE wanted_reports AS
    WITH unwritten AS (
        SELECT c.* FROM wanted_communities AS c
        ANTI JOIN graph.community_reports AS r
          ON r.dataset = $dataset AND r.community_id = c.community_id AND r.input_hash = c.input_hash
         AND r.method = 'extractive' AND r.recorded_to = 'infinity'
    ), facts AS (
        SELECT f.* FROM wanted_edges AS f SEMI JOIN unwritten AS u ON u.community_id = f.community_id WHERE f.asserted
    ), degrees AS (
        SELECT d.community_id, d.vertex, count(*) AS degree FROM (
            SELECT community_id, subject AS vertex FROM facts UNION ALL SELECT community_id, object FROM facts WHERE object <> subject
        ) AS d GROUP BY d.community_id, d.vertex
    ), members AS (
        SELECT m.community_id, n.label, n.class, row_number() OVER (
                   PARTITION BY m.community_id ORDER BY coalesce(d.degree, 0) DESC, n.label, n.node_id
               ) AS place
        FROM wanted_members AS m
        JOIN unwritten AS u ON u.community_id = m.community_id
        JOIN current_nodes AS n ON n.vertex = m.vertex
        LEFT JOIN degrees AS d ON d.community_id = m.community_id AND d.vertex = m.vertex
    ), names AS (
        SELECT m.community_id, array_to_string(list(m.label ORDER BY m.place), ', ') AS labels
        FROM members AS m WHERE m.place <= $titled GROUP BY m.community_id
    ), counts AS (
        SELECT c.community_id, array_to_string(list(c.number || ' ' || c.class ORDER BY c.number DESC, c.class), ', ') AS classes
        FROM (
            SELECT m.community_id, coalesce(l.label, readable(m.class)) AS class, count(*) AS number
            FROM members AS m LEFT JOIN class_labels AS l ON l.dataset = $dataset AND l.class = m.class
            GROUP BY m.community_id, coalesce(l.label, readable(m.class))
        ) AS c GROUP BY c.community_id
    ), texts AS (
        SELECT f.community_id, f.text, min(f.predicate) AS predicate, list(f.edge_id ORDER BY f.edge_id) AS edge_ids,
               max(s.degree + o.degree) AS centrality, max(f.confidence) AS confidence
        FROM facts AS f
        JOIN degrees AS s ON s.community_id = f.community_id AND s.vertex = f.subject
        JOIN degrees AS o ON o.community_id = f.community_id AND o.vertex = f.object
        GROUP BY f.community_id, f.text
    ), rounds AS (
        -- The best fact of each relation, then the second best of each: a hub with a thousand orders must not be all there is.
        SELECT t.*, row_number() OVER (
            PARTITION BY t.community_id, t.predicate ORDER BY t.centrality DESC, t.confidence DESC, t.text
        ) AS round FROM texts AS t
    ), placed AS (
        SELECT r.*, row_number() OVER (
            PARTITION BY r.community_id ORDER BY r.round, r.centrality DESC, r.confidence DESC, r.text
        ) AS place FROM rounds AS r
    ), findings AS (
        SELECT t.community_id, to_json(list({'text': t.text, 'edge_ids': t.edge_ids} ORDER BY t.place)) AS findings,
               sum(len(t.edge_ids)) AS cited,
               array_to_string(list(t.text ORDER BY t.place)[1:$sentences], '. ') AS sentences
        FROM placed AS t WHERE t.place <= $findings GROUP BY t.community_id
    ), totals AS (
        SELECT f.community_id, count(*) AS facts FROM facts AS f GROUP BY f.community_id
    )
    SELECT u.community_id, u.level,
           CASE WHEN t.facts IS NULL AND u.member_count > 1 THEN 'Without relations: ' || c.classes
                WHEN u.member_count > $titled THEN n.labels || ' and ' || (u.member_count - $titled) || ' more'
                ELSE n.labels END AS title,
           u.member_count || CASE WHEN u.member_count = 1 THEN ' entity (' ELSE ' entities (' END || c.classes || '), '
               || CASE coalesce(t.facts, 0) WHEN 0 THEN 'no facts among them: ' || n.labels
                                            WHEN 1 THEN '1 fact. ' || f.sentences
                                            ELSE t.facts || ' facts. ' || f.sentences END || '.' AS summary,
           coalesce(CAST(f.findings AS VARCHAR), '[]') AS findings,
           CAST(to_json({'facts_in': coalesce(t.facts, 0)::BIGINT, 'facts_shown': coalesce(f.cited, 0)::BIGINT,
                         'facts_cited': coalesce(f.cited, 0)::BIGINT, 'truncated': coalesce(f.cited, 0) < coalesce(t.facts, 0)})
                AS VARCHAR) AS coverage,
           u.input_hash
    FROM unwritten AS u
    JOIN names AS n ON n.community_id = u.community_id
    JOIN counts AS c ON c.community_id = u.community_id
    LEFT JOIN totals AS t ON t.community_id = u.community_id
    LEFT JOIN findings AS f ON f.community_id = u.community_id;
