-- Grain: one eligible candidate with its island: a run of candidates of a key that overlap one another. Input: candidates.
-- Only islands of more than one candidate need the grid of derive_winners.
WITH reached AS (
    SELECT *, max(claim_to) OVER (PARTITION BY dataset, key_kind, k1, k2, k3 ORDER BY valid_from, claim_to, statement_id
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
    FROM candidates WHERE eligible
), numbered AS (
    SELECT * EXCLUDE (reach), sum(CASE WHEN reach > valid_from THEN 0 ELSE 1 END) OVER (
        PARTITION BY dataset, key_kind, k1, k2, k3 ORDER BY valid_from, claim_to, statement_id
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS island
    FROM reached
)
SELECT *, count(*) OVER (PARTITION BY dataset, key_kind, k1, k2, k3, island) AS island_size FROM numbered
