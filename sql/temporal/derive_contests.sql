-- Grain: one candidate at one elementary interval of a contested island, ranked; rank 1 wins there. Input: islands.
-- Order (design section 4, rule 3): later observed_at, a period before an event, sequence, content hash.
WITH contested AS (
    SELECT * FROM islands WHERE island_size > 1
), bounds AS (
    SELECT dataset, key_kind, k1, k2, k3, island, valid_from AS bound FROM contested
    UNION
    SELECT dataset, key_kind, k1, k2, k3, island, claim_to FROM contested
), cells AS (
    SELECT *, lead(bound) OVER (PARTITION BY dataset, key_kind, k1, k2, k3, island ORDER BY bound) AS upper FROM bounds
), covered AS (
    SELECT c.*, b.bound AS cell_from, b.upper AS cell_to
    FROM cells AS b
    JOIN contested AS c ON c.dataset = b.dataset AND c.key_kind = b.key_kind AND c.k1 = b.k1 AND c.k2 = b.k2 AND c.k3 = b.k3
        AND c.island = b.island AND c.valid_from <= b.bound AND c.claim_to > b.bound
    WHERE b.upper IS NOT NULL
)
SELECT *, row_number() OVER (PARTITION BY dataset, key_kind, k1, k2, k3, cell_from
                             ORDER BY observed DESC, is_period DESC, sequence DESC, statement_id DESC) AS place
FROM covered
