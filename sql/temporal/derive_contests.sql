-- Grain: one candidate at one elementary interval of a contested island. Input: islands.
WITH contested AS (
    SELECT * FROM islands WHERE NOT alone
), bounds AS (
    SELECT key, island, valid_from AS bound FROM contested
    UNION
    SELECT key, island, claim_to FROM contested
), cells AS (
    SELECT *, lead(bound) OVER (PARTITION BY key, island ORDER BY bound) AS upper FROM bounds
), whole AS (
    SELECT * FROM cells WHERE upper IS NOT NULL
)
SELECT c.*, w.bound AS cell_from, w.upper AS cell_to
FROM whole AS w
JOIN contested AS c ON c.key = w.key AND c.island = w.island AND c.valid_from <= w.bound AND c.claim_to > w.bound
