-- Grain: one conflict that begins now. Input: conflicts_opened.
INSERT INTO graph.conflicts
    (dataset, conflict_id, kind, subject, predicate, object, standing_statement, overridden_statement, rule, reason, recorded_from,
     recorded_to)
SELECT dataset, conflict_id, kind, subject, predicate, object, standing, loser, rule, reason, key_at, 'infinity' FROM conflicts_opened
