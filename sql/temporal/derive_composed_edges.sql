-- Grain: one stretch on which an asserted edge begins the derivation of a composed one, or of one that such a one implies. Input: results,
-- symbols, places, composed, images, {hops}.
WITH implied AS (
    SELECT c.head, c.predicate, c.swapped FROM composed AS c
    JOIN images AS i ON i.predicate = c.head AND i.implied = c.predicate AND i.swapped = c.swapped
), named AS (
    SELECT r.a, r.b, r.valid_from, r.valid_to, r.premise, c.head, c.predicate, c.swapped
    FROM results AS r JOIN symbols AS s ON s.symbol = r.symbol JOIN implied AS c ON c.head = s.predicate
)
SELECT DISTINCT n.head AS head, n.predicate AS predicate, n.swapped AS swapped, a.node AS origin, b.node AS target,
       n.valid_from AS valid_from, n.valid_to AS valid_to, h.confidence AS confidence, h.premise_id AS premise_id,
       h.premise_hash AS premise_hash
FROM named AS n
JOIN places AS a ON a.place = n.a
JOIN places AS b ON b.place = n.b
JOIN {hops} AS h ON h.premise = n.premise
