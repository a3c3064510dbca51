-- Grain: one thing that both records of a pair say and that cannot be true of one: different values of a single-valued property, or of a
-- key. Inputs: pairs, pair_fields, single_valued (predicate), key_marks, current_refs.
-- Parameters: $near, $origins, of the keys that count.
WITH keyed AS (
    SELECT DISTINCT p.a AS a, p.b AS b, x.key_name AS key_name FROM pairs AS p
    JOIN key_marks AS x ON x.record = p.a
    JOIN key_marks AS y ON y.record = p.b AND y.key_name = x.key_name AND y.value <> x.value
    WHERE list_contains($origins, x.origin)
), shared AS (
    SELECT DISTINCT p.a AS a, p.b AS b, x.key_name AS key_name FROM pairs AS p
    JOIN key_marks AS x ON x.record = p.a
    JOIN key_marks AS y ON y.record = p.b AND y.key_name = x.key_name AND y.value = x.value
)
SELECT f.a AS a, f.b AS b, 'contradicts' AS reason, f.field AS field FROM pair_fields AS f
JOIN single_valued AS s ON s.predicate = f.field WHERE f.form <> 'ref' AND f.spelled < $near
UNION
SELECT k.a, k.b, 'different_keys', k.key_name FROM keyed AS k
LEFT JOIN shared AS s ON s.a = k.a AND s.b = k.b AND s.key_name = k.key_name WHERE s.a IS NULL
UNION
SELECT p.a, p.b, 'contradicts', x.field FROM pairs AS p
JOIN current_refs AS x ON x.record = p.a
JOIN current_refs AS y ON y.record = p.b AND y.field = x.field
GROUP BY p.a, p.b, x.field HAVING count(*) FILTER (x.value = y.value) = 0
