-- Grain: one node that a ref stood for, in the order of time. Input: graph.identities. Parameters: $dataset, $a, $b.
SELECT ref, node_id, method, round(score, 3) AS score, reason, graph.iso(h.recorded_from) AS recorded_from, graph.iso(h.recorded_to) AS recorded_to
FROM graph.identities AS h
WHERE dataset = $dataset AND ref IN ($a, $b) ORDER BY h.recorded_from, ref
