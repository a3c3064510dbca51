-- Grain: a key to be derived again; the same as before and those whose relations share an inference with them, or exclude theirs,
-- or are composed. Inputs: {keys}, network, erased_pairs, graph.edges, graph.statements, graph.identities, rules, graph.ontology_implications, graph.ontology_exclusions and
-- the applied ones.
WITH implications AS (
    SELECT predicate, implied FROM graph.ontology_implications WHERE dataset = $dataset
    UNION SELECT predicate, implied FROM graph.applied_implications WHERE dataset = $dataset
), concerned AS (
    SELECT predicate FROM implications UNION SELECT implied FROM implications
), believed AS (
    SELECT e.subject, e.predicate, e.object, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3
    FROM graph.edges AS e JOIN concerned AS c ON c.predicate = e.predicate
    LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
    WHERE e.dataset = $dataset AND e.origin = 'asserted'
), excluding AS (
    SELECT predicate FROM graph.ontology_exclusions WHERE dataset = $dataset
    UNION SELECT predicate FROM graph.applied_exclusions WHERE dataset = $dataset
    UNION SELECT predicate FROM network
), stood AS (
    SELECT ref, node_id FROM graph.identities WHERE dataset = $dataset
), said AS (
    SELECT DISTINCT s.subject, s.predicate, s.object FROM graph.statements AS s JOIN excluding AS x ON x.predicate = s.predicate
    WHERE s.dataset = $dataset AND s.kind = 'edge' AND s.object IS NOT NULL
), subjects AS (
    SELECT * FROM said UNION SELECT i.node_id, s.predicate, s.object FROM said AS s JOIN stood AS i ON i.ref = s.subject
), spoken AS (
    SELECT * FROM subjects UNION SELECT s.subject, s.predicate, i.node_id FROM subjects AS s JOIN stood AS i ON i.ref = s.object
), known AS (
    SELECT * FROM believed
    UNION
    SELECT s.subject, s.predicate, s.object, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE s.object END
    FROM spoken AS s LEFT JOIN rules AS r ON r.predicate = s.predicate AND r.dataset = $dataset
), sharing AS (
    SELECT b.* FROM known AS b
    JOIN erased_pairs AS p ON p.a = least(b.subject, b.object) AND p.b = greatest(b.subject, b.object)
    UNION
    SELECT k.* FROM known AS k JOIN network AS n ON n.predicate = k.predicate
)
SELECT dataset, kind, k1, k2, k3 FROM {keys}
UNION
SELECT $dataset, 'edge', s.subject, s.predicate, s.k3 FROM sharing AS s
LEFT JOIN erased_refs AS a ON a.ref = s.subject
LEFT JOIN erased_refs AS b ON b.ref = s.k3
WHERE a.ref IS NULL AND b.ref IS NULL
