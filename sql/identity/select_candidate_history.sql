-- Grain: one thing that was held of a pair, in the order of time. Input: graph.identity_candidates. Parameters: $dataset, $a, $b.
SELECT decision, judge, reason, round(score, 3) AS score, graph.iso(h.recorded_from) AS recorded_from, graph.iso(h.recorded_to) AS recorded_to
FROM graph.identity_candidates AS h
WHERE dataset = $dataset AND a = least($a, $b) AND b = greatest($a, $b) ORDER BY h.recorded_from
