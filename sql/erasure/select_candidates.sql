-- Grain: one candidate for one thing that names the erased entity or holds what an erased statement said: that is, of its node, as it is or
-- ever was. Inputs: graph.identity_candidates, graph.identities, erased_refs, erased_statements. Parameter: $dataset.
WITH subjects AS (
    SELECT ref AS id FROM erased_refs UNION SELECT subject FROM erased_statements
), named AS (
    SELECT id FROM subjects
    UNION
    SELECT i.node_id FROM graph.identities AS i JOIN subjects AS s ON s.id = i.ref WHERE i.dataset = $dataset
), marked AS (
    SELECT c.a, c.b, c.recorded_from FROM graph.identity_candidates AS c JOIN named AS n ON n.id = c.a WHERE c.dataset = $dataset
    UNION
    SELECT c.a, c.b, c.recorded_from FROM graph.identity_candidates AS c JOIN named AS n ON n.id = c.b WHERE c.dataset = $dataset
    UNION
    SELECT c.a, c.b, c.recorded_from FROM graph.identity_candidates AS c CROSS JOIN erased_refs AS r
    WHERE c.dataset = $dataset AND (contains(c.evidence, r.ref) OR contains(c.reason, r.ref))
)
SELECT c.a, c.b, c.recorded_from, c.content_hash FROM graph.identity_candidates AS c
JOIN marked AS m ON m.a = c.a AND m.b = c.b AND m.recorded_from = c.recorded_from WHERE c.dataset = $dataset
