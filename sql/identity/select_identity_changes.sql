-- Grain: one ref whose node changes in this commit, with the transaction time of the change. What a user decided stays.
-- Input: key_identities, name_identities, mapping.
WITH wanted AS (
    SELECT dataset, ref, node_id, method, score, reason FROM key_identities
    UNION ALL
    SELECT n.dataset, n.ref, n.node_id, n.method, n.score, n.reason FROM name_identities AS n
    LEFT JOIN key_identities AS k ON k.dataset = n.dataset AND k.ref = n.ref
    WHERE k.ref IS NULL
)
SELECT w.*, CASE WHEN m.recorded_from >= CAST($identity_at AS TIMESTAMPTZ) THEN CAST($store_now AS TIMESTAMPTZ)
                 ELSE CAST($identity_at AS TIMESTAMPTZ) END AS changed_at
FROM wanted AS w LEFT JOIN mapping AS m ON m.dataset = w.dataset AND m.ref = w.ref
WHERE coalesce(m.method <> 'manual', TRUE)
