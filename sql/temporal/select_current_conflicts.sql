-- Grain: one open conflict of a touched key that a window reaches or meets. Input: graph.conflicts, touched, windows.
WITH live AS (
    SELECT * FROM graph.conflicts WHERE recorded_to = 'infinity' AND kind <> 'identity'
)
SELECT l.dataset AS dataset, l.conflict_id AS conflict_id, l.kind AS kind, l.subject AS subject, l.predicate AS predicate,
       l.object AS object, l.standing_statement AS standing, l.overridden_statement AS loser, l.rule AS rule, l.reason AS reason,
       l.valid_from AS valid_from, l.valid_to AS valid_to, t.key_at AS key_at, w.window_from AS window_from, w.window_to AS window_to,
       w.prev_to AS prev_to, w.next_from AS next_from
FROM live AS l
JOIN touched AS t ON t.dataset = l.dataset AND t.kind = l.kind AND t.k1 = l.subject AND t.k2 = l.predicate AND t.k3 = l.object
JOIN windows AS w ON w.key = t.key AND l.valid_from <= w.window_to AND l.valid_to >= w.window_from
