-- Grain: the SQL interface to edges and their ends (design section 4, rule 9). Persisted, so that any DuckDB client can use it.
-- When a node is believed at all, by all its facets together: maximal stretches of valid time, as known at a transaction time.
CREATE OR REPLACE MACRO graph.node_spans(known_at) AS TABLE
    WITH segments AS (
        SELECT n.dataset, n.node_id, n.valid_from, n.valid_to FROM graph.nodes AS n
        WHERE n.recorded_from <= CAST(known_at AS TIMESTAMPTZ) AND CAST(known_at AS TIMESTAMPTZ) < n.recorded_to
    ), marked AS (
        SELECT *, CASE WHEN valid_from <= max(valid_to) OVER (
            PARTITION BY dataset, node_id ORDER BY valid_from, valid_to ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) THEN 0 ELSE 1 END AS opens FROM segments
    ), numbered AS (
        SELECT *, sum(opens) OVER (
            PARTITION BY dataset, node_id ORDER BY valid_from, valid_to ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
        ) AS span FROM marked
    )
    SELECT dataset, node_id, min(valid_from) AS valid_from, max(valid_to) AS valid_to FROM numbered GROUP BY dataset, node_id, span;

-- Edges cut to the time in which both ends are believed, as known at a transaction time: what edges_as_of shows, as intervals.
-- recorded_from, recorded_to and content_hash are those of the edge's row.
CREATE OR REPLACE MACRO graph.edges_within_ends(known_at) AS TABLE
    SELECT e.* REPLACE (greatest(e.valid_from, s.valid_from, o.valid_from) AS valid_from,
                        least(e.valid_to, s.valid_to, o.valid_to) AS valid_to)
    FROM graph.edges AS e
    JOIN graph.node_spans(known_at) AS s
      ON s.dataset = e.dataset AND s.node_id = e.subject AND s.valid_from < e.valid_to AND e.valid_from < s.valid_to
    JOIN graph.node_spans(known_at) AS o
      ON o.dataset = e.dataset AND o.node_id = e.object AND o.valid_from < e.valid_to AND e.valid_from < o.valid_to
     AND o.valid_from < s.valid_to AND s.valid_from < o.valid_to
    WHERE e.recorded_from <= CAST(known_at AS TIMESTAMPTZ) AND CAST(known_at AS TIMESTAMPTZ) < e.recorded_to;
