-- Grain: one stretch of valid time on which an edge is believed and one of its ends is not (design section 4, rule 9).
-- Input: {edges} (dataset, edge_id, subject, predicate, object, valid_from, valid_to, recorded_from), graph.nodes_open.
-- An end is believed on the union of its node's segments, all facets together.
WITH ends AS (
    SELECT dataset, edge_id, subject, predicate, object, valid_from, valid_to, recorded_from, subject AS node_id FROM {edges}
    UNION ALL
    SELECT dataset, edge_id, subject, predicate, object, valid_from, valid_to, recorded_from, object FROM {edges}
    WHERE object <> subject
), asked AS (
    SELECT DISTINCT dataset, node_id FROM ends
), segments AS (
    SELECT n.dataset, n.node_id, n.valid_from, n.valid_to FROM graph.nodes_open AS n
    JOIN asked AS a ON a.dataset = n.dataset AND a.node_id = n.node_id
    UNION ALL -- the beginning of time, so that what lies before the first segment is a gap too
    SELECT dataset, node_id, CAST('-infinity' AS TIMESTAMPTZ), CAST('-infinity' AS TIMESTAMPTZ) FROM asked
), reaching AS (
    SELECT dataset, node_id, max(valid_to) OVER so_far AS gap_from,
           lead(valid_from, 1, CAST('infinity' AS TIMESTAMPTZ)) OVER (PARTITION BY dataset, node_id ORDER BY valid_from, valid_to) AS gap_to
    FROM segments
    WINDOW so_far AS (PARTITION BY dataset, node_id ORDER BY valid_from, valid_to ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
), gaps AS (
    SELECT dataset, node_id, gap_from, gap_to FROM reaching WHERE gap_from < gap_to
), outlines AS (
    SELECT dataset, node_id, max(CASE WHEN gap_from = '-infinity' THEN gap_to END) AS first_from,
           min(CASE WHEN gap_to = 'infinity' THEN gap_from END) AS last_to,
           bool_or(gap_from > '-infinity' AND gap_to < 'infinity') AS holed
    FROM gaps GROUP BY dataset, node_id
), doubtful AS (
    SELECT e.* FROM ends AS e JOIN outlines AS o ON o.dataset = e.dataset AND o.node_id = e.node_id
    WHERE o.holed OR e.valid_from < o.first_from OR e.valid_to > o.last_to
), swept AS (
    -- The last gap that starts before an edge ends: the edge is covered if it starts after that gap.
    -- This sorts instead of comparing every edge of a node with every gap.
    SELECT *, max(gap_to) OVER (PARTITION BY dataset, node_id ORDER BY bound, is_gap ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
              AS last_gap_to
    FROM (
        SELECT dataset, node_id, gap_from AS bound, 1 AS is_gap, gap_to, CAST(NULL AS VARCHAR) AS edge_id,
               CAST(NULL AS VARCHAR) AS subject, CAST(NULL AS VARCHAR) AS predicate, CAST(NULL AS VARCHAR) AS object,
               CAST(NULL AS TIMESTAMPTZ) AS valid_from, CAST(NULL AS TIMESTAMPTZ) AS recorded_from FROM gaps
        UNION ALL
        SELECT dataset, node_id, valid_to, 0, CAST(NULL AS TIMESTAMPTZ), edge_id, subject, predicate, object, valid_from, recorded_from
        FROM doubtful
    ) AS bounds
), dangling AS (
    SELECT * FROM swept WHERE is_gap = 0 AND last_gap_to > valid_from
)
SELECT d.dataset AS dataset, d.edge_id AS edge_id, d.subject AS subject, d.predicate AS predicate, d.object AS object,
       d.node_id AS node_id, greatest(d.valid_from, g.gap_from) AS valid_from, least(d.bound, g.gap_to) AS valid_to,
       d.recorded_from AS recorded_from
FROM dangling AS d
JOIN gaps AS g ON g.dataset = d.dataset AND g.node_id = d.node_id AND g.gap_from < d.bound AND d.valid_from < g.gap_to
