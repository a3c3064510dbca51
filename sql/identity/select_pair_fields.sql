-- Grain: one field that both records of a pair have a value of, names aside, with the pair of values that are most alike.
-- Inputs: pairs, record_values, value_scores.
WITH compared AS (
    SELECT p.a AS a, p.b AS b, s.field AS field, s.form AS form, s.bits AS bits, s.spelled AS spelled, x.text AS ta, y.text AS tb,
           row_number() OVER (PARTITION BY p.a, p.b, s.field ORDER BY s.bits DESC, s.va, s.vb) AS place
    FROM pairs AS p
    JOIN record_values AS x ON x.record = p.a AND x.form <> 'name'
    JOIN record_values AS y ON y.record = p.b AND y.field = x.field
    JOIN value_scores AS s ON s.va = x.value AND s.vb = y.value
)
SELECT a, b, field, form, bits, spelled, ta, tb FROM compared WHERE place = 1
