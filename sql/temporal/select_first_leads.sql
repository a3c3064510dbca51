-- Grain: one hop in numbers, with the asserted edge that it is. Input: {hops}, symbols, places.
SELECT s.symbol AS symbol, a.place AS a, b.place AS b, h.valid_from AS valid_from, h.valid_to AS valid_to, h.premise AS premise
FROM {hops} AS h
JOIN symbols AS s ON s.predicate = h.predicate
JOIN places AS a ON a.node = h.subject
JOIN places AS b ON b.node = h.object
