-- Grain: one open conflict of a touched key. Input: graph.conflicts, touched.
WITH live AS (
    SELECT * FROM graph.conflicts WHERE recorded_to = 'infinity'
)
SELECT l.dataset AS dataset, l.conflict_id AS conflict_id, t.key_at AS key_at FROM live AS l
JOIN touched AS t ON t.dataset = l.dataset AND t.key_kind = l.kind AND t.k1 = l.subject AND t.k2 = l.predicate AND t.k3 = l.object
