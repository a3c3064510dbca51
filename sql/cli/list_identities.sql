-- Grain: one row per ref of a source that stands for an entity of another id, as believed at a transaction time.
-- Inputs: graph.identities, graph.nodes; $known_at (instant as text), $id (an entity or a ref; NULL: all).
WITH believed AS (
    SELECT i.dataset, i.node_id, i.ref, i.method, i.score, i.reason, i.recorded_from
    FROM graph.identities AS i
    WHERE i.recorded_from <= CAST($known_at AS TIMESTAMPTZ) AND CAST($known_at AS TIMESTAMPTZ) < i.recorded_to
), labels AS (
    SELECT n.dataset, n.node_id, max_by(n.label, n.valid_from) AS label
    FROM graph.nodes AS n
    WHERE n.label IS NOT NULL
      AND n.recorded_from <= CAST($known_at AS TIMESTAMPTZ) AND CAST($known_at AS TIMESTAMPTZ) < n.recorded_to
    GROUP BY n.dataset, n.node_id
)
SELECT b.node_id, l.label, b.ref, b.method, round(b.score, 3) AS score, b.reason, b.recorded_from
FROM believed AS b
LEFT JOIN labels AS l ON l.dataset = b.dataset AND l.node_id = b.node_id
WHERE CAST($id AS VARCHAR) IS NULL
   OR b.node_id IN (SELECT m.node_id FROM believed AS m WHERE m.node_id = CAST($id AS VARCHAR) OR m.ref = CAST($id AS VARCHAR))
ORDER BY b.dataset, b.node_id, b.ref, b.method;
