-- Grain: one relation that may be inferred, or hidden by an assertion, because of what changed. Input: changed_edges, implications
-- (now and before). An inferred row never starts before what is recorded of it already: then the store's clock dates it.
WITH implications AS (
    SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications
    UNION SELECT dataset, predicate, implied, swapped FROM graph.applied_implications
), heads AS (
    SELECT DISTINCT dataset, implied FROM implications
), reached AS (
    SELECT c.dataset AS dataset, CASE WHEN i.swapped THEN c.object ELSE c.subject END AS subject, i.implied AS predicate,
           CASE WHEN i.swapped THEN c.subject ELSE c.object END AS object, c.key_at AS key_at
    FROM changed_edges AS c JOIN implications AS i ON i.dataset = c.dataset AND i.predicate = c.predicate
    UNION ALL
    SELECT c.dataset, c.subject, c.predicate, c.object, c.key_at
    FROM changed_edges AS c JOIN heads AS h ON h.dataset = c.dataset AND h.implied = c.predicate
), keyed AS (
    SELECT dataset, subject, predicate, object, max(key_at) AS key_at FROM reached GROUP BY dataset, subject, predicate, object
), inferred AS (
    SELECT dataset, subject, predicate, object, recorded_from, recorded_to FROM graph.edges WHERE origin = 'inferred'
), recorded AS (
    SELECT k.dataset, k.subject, k.predicate, k.object,
           max(CASE WHEN e.recorded_to < 'infinity' THEN e.recorded_to ELSE e.recorded_from END) AS latest
    FROM inferred AS e
    JOIN keyed AS k ON k.dataset = e.dataset AND k.subject = e.subject AND k.predicate = e.predicate AND k.object = e.object
    GROUP BY k.dataset, k.subject, k.predicate, k.object
)
SELECT k.dataset AS dataset, k.subject AS subject, k.predicate AS predicate, k.object AS object,
       CASE WHEN r.latest >= k.key_at THEN CAST($store_now AS TIMESTAMPTZ) ELSE k.key_at END AS key_at
FROM keyed AS k
LEFT JOIN recorded AS r ON r.dataset = k.dataset AND r.subject = k.subject AND r.predicate = k.predicate AND r.object = k.object
