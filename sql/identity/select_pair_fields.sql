-- Grain: one field that both records of a pair have a value of, names aside, with the pair of values that are most alike. What only repeats
-- the names (a given name, a title) is no second reason. Inputs: pairs, record_values, value_tokens, value_scores.
WITH named AS (
    SELECT DISTINCT v.record AS record, t.token AS token FROM record_values AS v JOIN value_tokens AS t ON t.value = v.value WHERE v.form = 'name'
), repeating AS (
    SELECT v.record AS record, v.value AS value
    FROM record_values AS v
    JOIN value_tokens AS t ON t.value = v.value
    LEFT JOIN named AS n ON n.record = v.record AND n.token = t.token
    WHERE v.form = 'text' GROUP BY v.record, v.value HAVING count(*) = count(n.token)
), compared AS (
    SELECT p.a AS a, p.b AS b, s.field AS field, s.form AS form, s.spelled AS spelled, x.text AS ta, y.text AS tb,
           CASE WHEN s.bits > 0 AND r.record IS NOT NULL AND q.record IS NOT NULL THEN 0 ELSE s.bits END AS bits,
           row_number() OVER (PARTITION BY p.a, p.b, s.field ORDER BY s.bits DESC, s.va, s.vb) AS place
    FROM pairs AS p
    JOIN record_values AS x ON x.record = p.a AND x.form <> 'name'
    JOIN record_values AS y ON y.record = p.b AND y.field = x.field
    JOIN value_scores AS s ON s.va = x.value AND s.vb = y.value
    LEFT JOIN repeating AS r ON r.record = x.record AND r.value = x.value
    LEFT JOIN repeating AS q ON q.record = y.record AND q.value = y.value
)
SELECT a, b, field, form, bits, spelled, ta, tb FROM compared WHERE place = 1
