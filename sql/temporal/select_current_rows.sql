-- Grain: one open row of a touched key that a window reaches or meets: what is believed before this commit, numbered.
-- Input: graph.nodes_open, graph.edges_open, touched, hulls, rules.
WITH reached AS (
    SELECT t.key, t.dataset, t.kind, t.k1, t.k2, t.k3, h.hull_from, h.hull_to FROM touched AS t JOIN hulls AS h ON h.key = t.key
), node_keys AS (
    SELECT * FROM reached WHERE kind = 'node'
), edge_keys AS (
    SELECT * FROM reached WHERE kind = 'edge'
), asserted AS (
    SELECT e.*, coalesce(r.single_valued, FALSE) AS single_valued,
           CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3
    FROM graph.edges_open AS e LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
    WHERE e.origin = 'asserted'
), found AS (
    SELECT t.key, 'node' AS kind, n.dataset, n.node_id AS row_id, n.node_id AS subject, n.facet AS predicate, CAST(NULL AS VARCHAR) AS object,
           n.class, n.label AS text, n.properties, n.valid_from, n.valid_to, n.recorded_from, n.confidence, n.content_hash, n.value_hash,
           n.value_hash AS value_key
    FROM graph.nodes_open AS n
    JOIN node_keys AS t ON t.dataset = n.dataset AND t.k1 = n.node_id AND t.k2 = n.facet
        AND n.valid_from <= t.hull_to AND n.valid_to >= t.hull_from
    UNION ALL
    SELECT t.key, 'edge', e.dataset, e.edge_id, e.subject, e.predicate, e.object, NULL, e.fact, e.properties, e.valid_from, e.valid_to,
           e.recorded_from, e.confidence, e.content_hash, e.value_hash,
           CASE WHEN e.single_valued THEN unhex(md5(CAST(to_json([hex(e.value_hash), e.object]) AS VARCHAR))) ELSE e.value_hash END
    FROM asserted AS e
    JOIN edge_keys AS t ON t.dataset = e.dataset AND t.k1 = e.subject AND t.k2 = e.predicate AND t.k3 = e.k3
        AND e.valid_from <= t.hull_to AND e.valid_to >= t.hull_from
)
SELECT row_number() OVER () AS number, f.* FROM found AS f
