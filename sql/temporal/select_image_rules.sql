-- Grain: one implication between relations of the compositions, in numbers. closed: of two transitive ones, where a step implies a step and so
-- a path a path. Input: images, symbols.
SELECT p.symbol AS symbol, i.symbol AS implied, m.swapped AS swapped, p.transitive AND i.transitive AS closed
FROM images AS m
JOIN symbols AS p ON p.predicate = m.predicate
JOIN symbols AS i ON i.predicate = m.implied
WHERE p.symbol <> i.symbol OR m.swapped
