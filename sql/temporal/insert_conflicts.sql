-- Grain: one stretch of a conflict that begins now. Input: conflicts_opened.
INSERT INTO graph.conflicts
    (dataset, conflict_id, kind, subject, predicate, object, standing_statement, overridden_statement, rule, reason, valid_from, valid_to,
     recorded_from, recorded_to)
SELECT dataset, conflict_id, kind, subject, predicate, object, standing, loser, rule, reason, valid_from, valid_to, key_at, 'infinity'
FROM conflicts_opened
