-- Grain: one live statement of a touched key other than the arrivals, numbered downwards from -1. Input: graph.statements, sought, mapping, rules.
-- sought: the touched keys whose log matters. Of periods only those that overlap the hull are fetched, of events all.
WITH subjects AS (
    SELECT DISTINCT t.dataset AS dataset, t.k1 AS ref FROM sought AS t
    UNION
    SELECT DISTINCT t.dataset, m.ref FROM sought AS t JOIN mapping AS m ON m.dataset = t.dataset AND m.node_id = t.k1
), said AS (
    SELECT s.* FROM graph.statements AS s
    JOIN subjects AS j ON j.dataset = s.dataset AND j.ref = s.subject
    WHERE s.recorded_to = 'infinity'
), mapped AS (
    SELECT s.dataset, s.kind, coalesce(m.node_id, s.subject) AS k1, CASE s.kind WHEN 'node' THEN s.facet ELSE s.predicate END AS k2,
           CASE s.kind WHEN 'edge' THEN coalesce(o.node_id, s.object) END AS object, coalesce(r.single_valued, FALSE) AS single_valued,
           s.mode = 'event' AS is_event, s.polarity = 'assert' AS asserts, s.valid_from, s.valid_to,
           coalesce(s.observed_at, s.recorded_from) AS observed, s.sequence, s.source, s.confidence, s.value_hash, s.statement_id,
           s.predicate, s.value
    FROM said AS s
    LEFT JOIN mapping AS m ON m.dataset = s.dataset AND m.ref = s.subject
    LEFT JOIN mapping AS o ON o.dataset = s.dataset AND o.ref = s.object
    LEFT JOIN rules AS r ON r.dataset = s.dataset AND r.predicate = s.predicate
), keyed AS (
    SELECT *, CASE WHEN kind = 'node' OR single_valued THEN '' ELSE coalesce(object, '') END AS k3 FROM mapped
)
SELECT -row_number() OVER () AS number, t.key AS key, s.is_event AS is_event, s.asserts AS asserts, s.valid_from AS valid_from,
       s.valid_to AS valid_to, s.observed AS observed, s.sequence AS sequence, s.source AS source, s.confidence AS confidence,
       s.value_hash AS value_hash, s.statement_id AS statement_id, s.object AS object,
       CASE s.kind WHEN 'node' THEN s.k1
                   ELSE 'urn:stratagraph:edge:' || md5(CAST(to_json([s.dataset, s.k1, s.k2, s.object]) AS VARCHAR)) END AS row_id,
       CASE WHEN s.kind = 'edge' AND s.single_valued THEN unhex(md5(CAST(to_json([hex(s.value_hash), s.object]) AS VARCHAR)))
            ELSE s.value_hash END AS value_key,
       s.predicate AS class, s.value AS value
FROM keyed AS s
JOIN sought AS t ON t.dataset = s.dataset AND t.kind = s.kind AND t.k1 = s.k1 AND t.k2 = s.k2 AND t.k3 = s.k3
WHERE s.is_event OR (s.valid_from < t.hull_to AND s.valid_to > t.hull_from)
