-- Grain: one open row of a touched key: what is believed before this commit. Input: graph.nodes_open, graph.edges_open, touched, rules.
WITH edges_keyed AS (
    SELECT e.*, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3
    FROM graph.edges_open AS e LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
    WHERE e.origin = 'asserted'
)
SELECT n.dataset AS dataset, 'node' AS kind, n.node_id AS row_id, n.content_hash AS content_hash, n.node_id AS subject,
       n.facet AS predicate, CAST(NULL AS VARCHAR) AS object, t.key_at AS key_at
FROM graph.nodes_open AS n
JOIN touched AS t ON t.dataset = n.dataset AND t.k1 = n.node_id AND t.k2 = n.facet
WHERE t.key_kind = 'node'
UNION ALL
SELECT e.dataset, 'edge', e.edge_id, e.content_hash, e.subject, e.predicate, e.object, t.key_at
FROM edges_keyed AS e
JOIN touched AS t ON t.dataset = e.dataset AND t.k1 = e.subject AND t.k2 = e.predicate AND t.k3 = e.k3
WHERE t.key_kind = 'edge'
