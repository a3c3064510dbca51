-- Grain: one row per edge between a reached node and one that is a hop nearer, in order of distance; edges count in both
-- directions and only while both ends are believed at the point (NULL: any). Each hop joins the nodes of the hop before with
-- the edges, as graph.neighbors_of does. Inputs: graph.nodes, graph.edges, graph.units.
-- Parameters: $id, $hops, $limit (nodes), $valid_at, $known_at.
WITH RECURSIVE believed AS NOT MATERIALIZED (
    SELECT n.dataset, n.node_id, n.label, n.class, n.confidence, n.facet, n.recorded_from FROM graph.nodes AS n
    WHERE ($valid_at IS NULL OR (n.valid_from <= $valid_at::TIMESTAMPTZ AND $valid_at::TIMESTAMPTZ < n.valid_to))
      AND ($known_at IS NULL OR (n.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < n.recorded_to))
), links AS NOT MATERIALIZED (
    SELECT e.dataset, e.edge_id, e.subject, e.predicate, e.object, e.fact, e.origin, e.valid_from, e.valid_to,
           e.recorded_from, e.content_hash
    FROM graph.edges AS e
    WHERE ($valid_at IS NULL OR (e.valid_from <= $valid_at::TIMESTAMPTZ AND $valid_at::TIMESTAMPTZ < e.valid_to))
      AND ($known_at IS NULL OR (e.recorded_from <= $known_at::TIMESTAMPTZ AND $known_at::TIMESTAMPTZ < e.recorded_to))
), reach(dataset, node_id, distance) USING KEY (dataset, node_id) AS (
    SELECT DISTINCT b.dataset, b.node_id, 0 FROM believed AS b WHERE b.node_id = $id
    UNION
    SELECT DISTINCT f.dataset, f.node_id, f.distance FROM (
        SELECT r.dataset, l.object AS node_id, r.distance + 1 AS distance FROM reach AS r
        JOIN links AS l ON l.dataset = r.dataset AND l.subject = r.node_id WHERE r.distance < $hops
        UNION ALL
        SELECT r.dataset, l.subject, r.distance + 1 FROM reach AS r
        JOIN links AS l ON l.dataset = r.dataset AND l.object = r.node_id WHERE r.distance < $hops
    ) AS f
    ANTI JOIN recurring.reach AS k ON k.dataset = f.dataset AND k.node_id = f.node_id
    SEMI JOIN (SELECT dataset, node_id FROM believed) AS b ON b.dataset = f.dataset AND b.node_id = f.node_id
), nearest AS MATERIALIZED (
    SELECT dataset, node_id, distance FROM reach
), chosen AS MATERIALIZED (
    SELECT n.dataset, n.node_id, n.distance, row_number() OVER (ORDER BY n.distance, n.dataset, n.node_id) AS place
    FROM nearest AS n WHERE n.distance > 0 ORDER BY place LIMIT $limit
), named AS MATERIALIZED (
    SELECT c.dataset, c.node_id, c.distance, c.place,
           min_by(b.label, (b.label IS NULL, -b.confidence, b.facet, b.recorded_from)) AS label,
           min_by(b.class, (b.label IS NULL, -b.confidence, b.facet, b.recorded_from)) AS class
    FROM chosen AS c JOIN believed AS b ON b.dataset = c.dataset AND b.node_id = c.node_id
    GROUP BY c.dataset, c.node_id, c.distance, c.place
), via AS (
    SELECT c.place, l.* FROM named AS c
    JOIN links AS l ON l.dataset = c.dataset AND l.subject = c.node_id
    JOIN nearest AS n ON n.dataset = c.dataset AND n.node_id = l.object AND n.distance = c.distance - 1
    UNION
    SELECT c.place, l.* FROM named AS c
    JOIN links AS l ON l.dataset = c.dataset AND l.object = c.node_id
    JOIN nearest AS n ON n.dataset = c.dataset AND n.node_id = l.subject AND n.distance = c.distance - 1
)
SELECT c.place, c.dataset, c.node_id AS id, c.label, c.class, c.distance, v.edge_id, v.subject, v.predicate, v.object,
       coalesce(u.text, v.fact) AS fact, v.origin, graph.iso(v.valid_from) AS valid_from, graph.iso(v.valid_to) AS valid_to
FROM named AS c
JOIN via AS v ON v.place = c.place
LEFT JOIN graph.units AS u
  ON u.dataset = v.dataset AND u.kind = 'fact' AND u.id = v.edge_id AND u.content_hash = v.content_hash
 AND u.valid_from = v.valid_from AND u.recorded_from = v.recorded_from
ORDER BY c.place, v.edge_id, v.valid_from, v.object;
