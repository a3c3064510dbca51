-- Grain: one batch of changed documents. Input: changed.
SELECT DISTINCT c.batch FROM changed AS c ORDER BY c.batch
