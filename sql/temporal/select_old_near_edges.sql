-- Grain: one relation that was composed before, and may have changed. Input: graph.edges_open, composed, parts, origins, targets.
WITH inferred AS (
    SELECT * FROM graph.edges_open WHERE origin = 'inferred' AND dataset = $dataset
), turned AS (
    SELECT e.subject, e.predicate, e.object, c.head, CASE WHEN c.swapped THEN e.object ELSE e.subject END AS origin,
           CASE WHEN c.swapped THEN e.subject ELSE e.object END AS target
    FROM inferred AS e JOIN composed AS c ON c.predicate = e.predicate
)
SELECT DISTINCT e.subject AS subject, e.predicate AS predicate, e.object AS object FROM turned AS e
JOIN parts AS p ON p.predicate = e.head
JOIN origins AS o ON o.part = p.part AND o.node = e.origin
JOIN targets AS t ON t.part = p.part AND t.node = e.target
