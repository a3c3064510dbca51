-- Grain: one step that a composition may take from one node to another, in a part of the rules. Input: hops, parts.
SELECT DISTINCT p.part AS part, h.subject AS a, h.object AS b FROM hops AS h JOIN parts AS p ON p.predicate = h.predicate
WHERE h.subject <> h.object
UNION
SELECT p.part, h.object, h.subject FROM hops AS h JOIN parts AS p ON p.predicate = h.predicate
WHERE p.both_ways AND h.subject <> h.object
