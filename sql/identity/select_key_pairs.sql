-- Grain: one pair of nodes with equal values of an ontology's key, one of them changed; not of disjoint classes. Every node is paired with
-- the first of its group only. A value that many share identifies nobody. Inputs: key_marks, changed, record_classes, disjoint (class, other).
-- Parameter: $most_alike.
WITH groups AS (
    SELECT key_name, value, min(record) AS first FROM key_marks WHERE origin = 'ontology'
    GROUP BY key_name, value HAVING count(*) BETWEEN 2 AND $most_alike
), pairs AS (
    SELECT DISTINCT g.first AS a, k.record AS b, k.key_name AS key_name
    FROM key_marks AS k JOIN groups AS g ON g.key_name = k.key_name AND g.value = k.value
    WHERE k.record <> g.first
), touched AS (
    SELECT p.a, p.b, p.key_name FROM pairs AS p JOIN changed AS c ON c.record = p.a
    UNION
    SELECT p.a, p.b, p.key_name FROM pairs AS p JOIN changed AS c ON c.record = p.b
), apart AS (
    SELECT DISTINCT t.a AS a, t.b AS b FROM touched AS t
    JOIN record_classes AS x ON x.record = t.a
    JOIN record_classes AS y ON y.record = t.b
    JOIN disjoint AS d ON d.class = x.class AND d.other = y.class
)
SELECT t.a AS a, t.b AS b, min(t.key_name) AS key_name FROM touched AS t LEFT JOIN apart AS p ON p.a = t.a AND p.b = t.b
WHERE p.a IS NULL GROUP BY t.a, t.b
