-- Grain: one link that changed, or whose statements did. Input: changed_edges, images, parts.
WITH changed AS (
    SELECT i.implied AS predicate, CASE WHEN i.swapped THEN c.object ELSE c.subject END AS a,
           CASE WHEN i.swapped THEN c.subject ELSE c.object END AS b
    FROM changed_edges AS c JOIN images AS i ON i.predicate = c.predicate WHERE c.dataset = $dataset
)
SELECT DISTINCT p.part AS part, c.a AS a, c.b AS b FROM changed AS c JOIN parts AS p ON p.predicate = c.predicate
UNION
SELECT p.part, c.b, c.a FROM changed AS c JOIN parts AS p ON p.predicate = c.predicate WHERE p.both_ways
