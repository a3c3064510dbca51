-- Grain: one elementary interval of a window with candidates: between two neighbouring bounds. Input: candidates.
WITH bounds AS (
    SELECT slot, claim_from AS bound FROM candidates UNION SELECT slot, claim_to FROM candidates
)
SELECT slot, bound AS cell_from, lead(bound) OVER (PARTITION BY slot ORDER BY bound) AS cell_to,
       row_number() OVER (PARTITION BY slot ORDER BY bound) - 1 AS cell
FROM bounds
