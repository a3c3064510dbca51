-- Grain: one of composed_edges whose relation may have changed. Input: composed_edges, parts, origins, targets.
SELECT e.* FROM composed_edges AS e
JOIN parts AS p ON p.predicate = e.head
JOIN origins AS o ON o.part = p.part AND o.node = e.origin
JOIN targets AS t ON t.part = p.part AND t.node = e.target
