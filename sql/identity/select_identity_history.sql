-- Grain: one node that a ref stood for, in the order of time. Input: graph.identities. Parameters: $dataset, $a, $b.
SELECT ref, node_id, method, round(score, 3) AS score, reason, recorded_from, recorded_to FROM graph.identities
WHERE dataset = $dataset AND ref IN ($a, $b) ORDER BY recorded_from, ref
