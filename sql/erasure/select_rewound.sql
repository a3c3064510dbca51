-- Grain: one believed row, open or closed, of a key to be derived again, or inferred between two nodes of one.
-- Inputs: graph.nodes, graph.edges, keys, erased_pairs, rules.
WITH asserted AS (
    SELECT e.*, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3
    FROM graph.edges AS e LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
    WHERE e.dataset = $dataset AND e.origin = 'asserted'
), node_keys AS (
    SELECT * FROM keys WHERE key_kind = 'node'
), edge_keys AS (
    SELECT * FROM keys WHERE key_kind = 'edge'
)
SELECT DISTINCT 'node' AS kind, n.node_id AS row_id, n.facet, n.content_hash FROM graph.nodes AS n
JOIN node_keys AS k ON k.k1 = n.node_id AND k.k2 = n.facet WHERE n.dataset = $dataset
UNION
SELECT 'edge', e.edge_id, '', e.content_hash FROM asserted AS e
JOIN edge_keys AS k ON k.k1 = e.subject AND k.k2 = e.predicate AND k.k3 = e.k3
UNION
SELECT 'edge', e.edge_id, '', e.content_hash FROM graph.edges AS e
JOIN erased_pairs AS p ON p.a = least(e.subject, e.object) AND p.b = greatest(e.subject, e.object)
WHERE e.dataset = $dataset AND e.origin = 'inferred'
