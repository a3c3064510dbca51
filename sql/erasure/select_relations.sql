-- Grain: one relation that any statement, as its ends ever stood, said of a key to be derived again; believed or not.
-- Inputs: graph.statements, graph.identities, whole_keys, rules. Runs while the erased rows are still there.
WITH stood AS (
    SELECT ref, node_id FROM graph.identities WHERE dataset = $dataset
), edge_keys AS (
    SELECT k1, k2, k3 FROM whole_keys WHERE kind = 'edge'
), subjects AS (
    SELECT DISTINCT k1 FROM edge_keys
), named AS (
    SELECT k1, k1 AS ref FROM subjects UNION SELECT k.k1, i.ref FROM subjects AS k JOIN stood AS i ON i.node_id = k.k1
), said AS (
    SELECT DISTINCT n.k1, s.predicate, s.object FROM graph.statements AS s JOIN named AS n ON n.ref = s.subject
    WHERE s.dataset = $dataset AND s.kind = 'edge'
), spoken AS (
    SELECT k1, predicate, object FROM said UNION SELECT s.k1, s.predicate, i.node_id FROM said AS s JOIN stood AS i ON i.ref = s.object
), keyed AS (
    SELECT s.k1, s.predicate, s.object, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE s.object END AS k3
    FROM spoken AS s LEFT JOIN rules AS r ON r.predicate = s.predicate
)
SELECT DISTINCT s.k1 AS subject, s.predicate, s.object FROM keyed AS s
JOIN edge_keys AS k ON k.k1 = s.k1 AND k.k2 = s.predicate AND k.k3 = s.k3
