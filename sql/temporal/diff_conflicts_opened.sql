-- Grain: one stretch of a conflict that begins. Input: conflict_segments, current_conflicts, disputes_named.
WITH named AS (
    SELECT dataset, conflict_id, kind, subject, predicate, object, standing, loser, rule, reason, key_at FROM disputes_named
    UNION
    SELECT dataset, conflict_id, kind, subject, predicate, object, standing, loser, rule, reason, key_at FROM current_conflicts
), before AS (
    SELECT DISTINCT conflict_id, valid_from, valid_to FROM current_conflicts
)
SELECT n.dataset AS dataset, n.conflict_id AS conflict_id, n.kind AS kind, n.subject AS subject, n.predicate AS predicate,
       n.object AS object, n.standing AS standing, n.loser AS loser, n.rule AS rule, n.reason AS reason, s.valid_from AS valid_from,
       s.valid_to AS valid_to, n.key_at AS key_at
FROM conflict_segments AS s
JOIN named AS n ON n.conflict_id = s.key
LEFT JOIN before AS b ON b.conflict_id = s.key AND b.valid_from = s.valid_from AND b.valid_to = s.valid_to
WHERE b.conflict_id IS NULL
