-- Grain: one relation whose asserted rows or their support changed in this commit. Input: current_rows, segments, the differences.
WITH hashes AS (
    SELECT dataset, content_hash FROM rows_closed
    UNION SELECT dataset, content_hash FROM rows_opened
    UNION SELECT dataset, content_hash FROM support_closed
    UNION SELECT dataset, content_hash FROM support_opened
), relations AS (
    SELECT dataset, content_hash, subject, predicate, object, key_at FROM current_rows WHERE kind = 'edge'
    UNION ALL
    SELECT dataset, content_hash, k1, k2, object, key_at FROM segments WHERE key_kind = 'edge'
)
SELECT r.dataset AS dataset, r.subject AS subject, r.predicate AS predicate, r.object AS object, max(r.key_at) AS key_at
FROM relations AS r JOIN hashes AS h ON h.dataset = r.dataset AND h.content_hash = r.content_hash
GROUP BY r.dataset, r.subject, r.predicate, r.object
UNION ALL
SELECT e.dataset, e.subject, e.predicate, e.object, CAST($store_now AS TIMESTAMPTZ) AS key_at
FROM graph.edges_open AS e JOIN changed_implications AS i ON i.dataset = e.dataset AND i.predicate = e.predicate
WHERE e.origin = 'asserted'
