-- Grain: one ref whose node changes in this commit, with the transaction time of the change. Input: key_identities, name_identities, mapping.
WITH wanted AS (
    SELECT * FROM key_identities
    UNION ALL
    SELECT n.* FROM name_identities AS n
    LEFT JOIN key_identities AS k ON k.dataset = n.dataset AND k.ref = n.ref
    WHERE k.ref IS NULL
)
SELECT w.*, CASE WHEN m.recorded_from >= CAST($identity_at AS TIMESTAMPTZ) THEN CAST($store_now AS TIMESTAMPTZ)
                 ELSE CAST($identity_at AS TIMESTAMPTZ) END AS changed_at
FROM wanted AS w LEFT JOIN mapping AS m ON m.dataset = w.dataset AND m.ref = w.ref
