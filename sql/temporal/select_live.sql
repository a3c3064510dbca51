-- Grain: one statement live now of a touched key, numbered. Input: graph.statements, touched, mapping, rules.
-- From here on a key is its number in this commit, and a statement its number: the steps that follow sort and join narrow rows.
WITH subjects AS (
    SELECT DISTINCT t.dataset AS dataset, t.k1 AS ref FROM touched AS t
    UNION
    SELECT DISTINCT t.dataset, m.ref FROM touched AS t JOIN mapping AS m ON m.dataset = t.dataset AND m.node_id = t.k1
), said AS (
    SELECT s.* FROM graph.statements AS s
    JOIN subjects AS j ON j.dataset = s.dataset AND j.ref = s.subject
    WHERE s.recorded_to = 'infinity'
), keyed AS (
    SELECT s.*, coalesce(m.node_id, s.subject) AS k1, CASE s.kind WHEN 'node' THEN s.facet ELSE s.predicate END AS k2,
           CASE WHEN s.kind = 'node' OR coalesce(r.single_valued, FALSE) THEN '' ELSE coalesce(n.node_id, s.object) END AS k3,
           CASE s.kind WHEN 'edge' THEN coalesce(n.node_id, s.object) END AS object_node
    FROM said AS s
    LEFT JOIN mapping AS m ON m.dataset = s.dataset AND m.ref = s.subject
    LEFT JOIN mapping AS n ON n.dataset = s.dataset AND n.ref = s.object
    LEFT JOIN rules AS r ON r.dataset = s.dataset AND r.predicate = s.predicate
)
SELECT row_number() OVER () AS number, t.key AS key, k.statement_id AS statement_id, k.mode AS mode, k.polarity AS polarity,
       k.valid_from AS valid_from, k.valid_to AS valid_to, coalesce(k.observed_at, k.recorded_from) AS observed, k.sequence AS sequence,
       k.source AS source, k.confidence AS confidence, k.value_hash AS value_hash, k.object_node AS object, k.predicate AS predicate,
       k.value AS value
FROM keyed AS k
JOIN touched AS t ON t.dataset = k.dataset AND t.key_kind = k.kind AND t.k1 = k.k1 AND t.k2 = k.k2 AND t.k3 = k.k3
