-- Grain: one relation of the compositions, numbered. Input: compositions.
WITH named AS (
    SELECT first AS predicate FROM compositions UNION SELECT second FROM compositions UNION SELECT implied FROM compositions
), closed AS (
    SELECT first AS predicate FROM compositions WHERE first = second AND first = implied
)
SELECT row_number() OVER () AS symbol, n.predicate AS predicate, c.predicate IS NOT NULL AS transitive,
       starts_with(n.predicate, 'urn:stratagraph:chain:') AS hidden
FROM named AS n LEFT JOIN closed AS c ON c.predicate = n.predicate
