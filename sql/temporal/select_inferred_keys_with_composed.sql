-- Grain: one relation that may be inferred, or hidden by an assertion, because of what changed. What follows from several relations is dated by
-- the store's clock. Input: plain_keys, composed_premises, old_edges.
WITH composed AS (
    SELECT dataset, subject, predicate, object FROM composed_premises
    UNION SELECT CAST($dataset AS VARCHAR), subject, predicate, object FROM old_edges
), keys AS (
    SELECT dataset, subject, predicate, object, key_at FROM plain_keys
    UNION ALL SELECT dataset, subject, predicate, object, CAST($store_now AS TIMESTAMPTZ) FROM composed
)
SELECT dataset, subject, predicate, object, max(key_at) AS key_at FROM keys GROUP BY dataset, subject, predicate, object
