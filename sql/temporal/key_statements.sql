-- Grain: one statement of the log with the key it speaks of. Input: {statements}, {mapping} (ref -> node), rules.
WITH mapped AS (
    SELECT s.dataset, s.kind, coalesce(m.node_id, s.subject) AS k1, CASE s.kind WHEN 'node' THEN s.facet ELSE s.predicate END AS k2,
           CASE s.kind WHEN 'edge' THEN coalesce(o.node_id, s.object) END AS object, coalesce(r.single_valued, FALSE) AS single_valued,
           s.mode = 'event' AS is_event, s.polarity = 'assert' AS asserts, s.valid_from, s.valid_to,
           coalesce(s.observed_at, s.recorded_from) AS observed, s.sequence, s.source, s.confidence, s.value_hash, s.statement_id,
           s.predicate, s.value, s.recorded_from, s.recorded_to
    FROM {statements} AS s
    LEFT JOIN {mapping} AS m ON m.dataset = s.dataset AND m.ref = s.subject
    LEFT JOIN {mapping} AS o ON o.dataset = s.dataset AND o.ref = s.object
    LEFT JOIN rules AS r ON r.dataset = s.dataset AND r.predicate = s.predicate
)
SELECT dataset, kind, k1, k2, CASE WHEN kind = 'node' OR single_valued THEN '' ELSE coalesce(object, '') END AS k3, object,
       CASE kind WHEN 'node' THEN k1
                 ELSE 'urn:stratagraph:edge:' || md5(CAST(to_json([dataset, k1, k2, object]) AS VARCHAR)) END AS row_id,
       is_event, asserts, valid_from, valid_to, observed, sequence, source, confidence, value_hash, statement_id,
       CASE WHEN kind = 'edge' AND single_valued THEN unhex(md5(CAST(to_json([hex(value_hash), object]) AS VARCHAR))) ELSE value_hash
       END AS value_key, predicate, value, recorded_from, recorded_to
FROM mapped
