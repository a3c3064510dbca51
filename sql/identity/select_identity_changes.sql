-- Grain: one ref whose node changes in this commit, with the transaction time of the change. What a user decided stays: a ref that was
-- given to a node moves only together with it. Input: key_identities, name_identities, mapping.
WITH wanted AS (
    SELECT dataset, ref, node_id, method, score, reason FROM key_identities
    UNION ALL
    SELECT n.dataset, n.ref, n.node_id, n.method, n.score, n.reason FROM name_identities AS n
    LEFT JOIN key_identities AS k ON k.dataset = n.dataset AND k.ref = n.ref
    WHERE k.ref IS NULL
)
SELECT w.dataset AS dataset, w.ref AS ref, w.node_id AS node_id, coalesce(CASE m.method WHEN 'manual' THEN 'manual' END, w.method) AS method,
       w.score AS score, w.reason AS reason,
       CASE WHEN m.recorded_from >= CAST($identity_at AS TIMESTAMPTZ) THEN CAST($store_now AS TIMESTAMPTZ)
            ELSE CAST($identity_at AS TIMESTAMPTZ) END AS changed_at
FROM wanted AS w
LEFT JOIN mapping AS m ON m.dataset = w.dataset AND m.ref = w.ref
LEFT JOIN wanted AS t ON t.dataset = m.dataset AND t.ref = m.node_id AND t.node_id = w.node_id
WHERE coalesce(m.method <> 'manual', TRUE) OR (m.node_id <> m.ref AND t.ref IS NOT NULL)
