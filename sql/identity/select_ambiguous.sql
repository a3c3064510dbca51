-- Grain: one candidate whose merge would join two values of one key: a person has to say which. Inputs: pending_merges, merge_nodes,
-- components, torn_groups, graph.identity_candidates. Parameter: $dataset.
SELECT c.a AS a, c.b AS b, c.score AS score, c.evidence AS evidence, c.content_hash AS content_hash, 'open' AS decision, c.judge AS judge,
       'ambiguous ' || t.why AS reason
FROM pending_merges AS p
JOIN merge_nodes AS n ON n.node = p.a
JOIN components AS k ON k.number = n.number
JOIN torn_groups AS t ON t.component = k.component
JOIN graph.identity_candidates AS c ON c.a = p.candidate_a AND c.b = p.candidate_b
WHERE c.dataset = $dataset AND c.recorded_to = 'infinity'
