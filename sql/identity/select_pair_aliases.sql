-- Grain: one pair of records of which one bears as an alias what the other is called, and no third record is called so. What both bear as an
-- alias alone makes them nothing: "AC" is short for many a name. Inputs: pairs, record_values.
WITH called AS (
    SELECT DISTINCT record, text, alias FROM record_values WHERE form = 'name'
), bearers AS (
    SELECT text FROM called GROUP BY text HAVING count(DISTINCT record) = 2
)
SELECT p.a AS a, p.b AS b, min(x.text) AS name FROM pairs AS p
JOIN called AS x ON x.record = p.a
JOIN called AS y ON y.record = p.b AND y.text = x.text
JOIN bearers AS n ON n.text = x.text
WHERE x.alias <> y.alias GROUP BY p.a, p.b
