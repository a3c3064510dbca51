-- Grain: one pair of values that some pair of records compares. Inputs: pairs (a, b), record_values.
SELECT DISTINCT x.field AS field, x.form AS form, x.value AS va, y.value AS vb, x.text AS ta, y.text AS tb, y.form AS other_form
FROM pairs AS p
JOIN record_values AS x ON x.record = p.a
JOIN record_values AS y ON y.record = p.b AND y.field = x.field
