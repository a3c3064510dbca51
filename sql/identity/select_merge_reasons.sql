-- Grain: one node that is merged, with the surest of the merges that it takes part in. Input: {merges} (a, b, method, score, reason).
WITH sides AS (
    SELECT a AS node, b AS other, method, score, reason FROM {merges} UNION ALL SELECT b, a, method, score, reason FROM {merges}
), placed AS (
    SELECT *, row_number() OVER (PARTITION BY node ORDER BY score DESC, other) AS place FROM sides
)
SELECT node, method, score, reason || ': ' || other AS reason FROM placed WHERE place = 1
