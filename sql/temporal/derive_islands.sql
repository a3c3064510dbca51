-- Grain: one eligible candidate with its island: a run of candidates of a key that overlap one another. Input: candidates.
-- Only islands of more than one candidate need the grid of derive_contests.
WITH reached AS (
    SELECT *, max(claim_to) OVER (PARTITION BY key ORDER BY valid_from, claim_to, number
                                  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS reach
    FROM candidates WHERE eligible
), flagged AS (
    SELECT * EXCLUDE (reach), CASE WHEN reach > valid_from THEN 0 ELSE 1 END AS begins FROM reached
)
SELECT * EXCLUDE (begins),
       sum(begins) OVER in_order AS island,
       begins = 1 AND lead(begins, 1, 1) OVER in_order = 1 AS alone
FROM flagged
WINDOW in_order AS (PARTITION BY key ORDER BY valid_from, claim_to, number)
