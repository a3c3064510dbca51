-- Grain: one open row of a touched key: what is believed before this commit. Input: graph.nodes_open, graph.edges_open, touched, rules.
WITH node_keys AS (
    SELECT * FROM touched WHERE key_kind = 'node'
), edge_keys AS (
    SELECT * FROM touched WHERE key_kind = 'edge'
), asserted AS (
    SELECT e.*, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3
    FROM graph.edges_open AS e LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
    WHERE e.origin = 'asserted'
)
SELECT t.key AS key, 'node' AS kind, n.node_id AS row_id, n.content_hash AS content_hash, n.value_hash AS value_hash,
       '' AS object, n.valid_from AS valid_from, n.valid_to AS valid_to
FROM graph.nodes_open AS n
JOIN node_keys AS t ON t.dataset = n.dataset AND t.k1 = n.node_id AND t.k2 = n.facet
UNION ALL
SELECT t.key, 'edge', e.edge_id, e.content_hash, e.value_hash, e.object, e.valid_from, e.valid_to
FROM asserted AS e
JOIN edge_keys AS t ON t.dataset = e.dataset AND t.k1 = e.subject AND t.k2 = e.predicate AND t.k3 = e.k3
