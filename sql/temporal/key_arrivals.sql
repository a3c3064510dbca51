-- Grain: one new statement with the key it speaks of. Input: arrivals, normalised, mapping (ref -> node), rules.
-- Keys (design section 4, rule 1): a node's facet; a single-valued relation of a subject; a relation between two nodes.
WITH mapped AS (
    SELECT n.number, n.dataset, n.kind, coalesce(m.node_id, n.subject) AS k1, CASE n.kind WHEN 'node' THEN n.facet ELSE n.predicate END AS k2,
           CASE n.kind WHEN 'edge' THEN coalesce(o.node_id, n.object) END AS object, coalesce(r.single_valued, FALSE) AS single_valued,
           n.mode = 'event' AS is_event, n.polarity = 'assert' AS asserts, n.valid_from, n.valid_to, n.observed_at, n.sequence, n.source,
           n.confidence, n.value_hash, n.statement_id
    FROM arrivals AS a
    JOIN normalised AS n ON n.number = a.number
    LEFT JOIN mapping AS m ON m.dataset = n.dataset AND m.ref = n.subject
    LEFT JOIN mapping AS o ON o.dataset = n.dataset AND o.ref = n.object
    LEFT JOIN rules AS r ON r.dataset = n.dataset AND r.predicate = n.predicate
)
SELECT number, dataset, kind, k1, k2, CASE WHEN kind = 'node' OR single_valued THEN '' ELSE coalesce(object, '') END AS k3, object,
       CASE kind WHEN 'node' THEN k1
                 ELSE 'urn:stratagraph:edge:' || md5(CAST(to_json([dataset, k1, k2, object]) AS VARCHAR)) END AS row_id,
       is_event, asserts, valid_from, valid_to, observed_at, sequence, source, confidence, value_hash, statement_id,
       CASE WHEN kind = 'edge' AND single_valued THEN unhex(md5(CAST(to_json([hex(value_hash), object]) AS VARCHAR))) ELSE value_hash
       END AS value_key
FROM mapped
