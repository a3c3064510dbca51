-- Grain: one identifying key that two things share, or a chain of keys that would merge two values of one key. Nothing is merged by it.
-- Input: ambiguous_aliases, split_components, graph.conflicts.
INSERT INTO graph.conflicts
    (dataset, conflict_id, kind, subject, predicate, object, standing_statement, overridden_statement, rule, reason, valid_from, valid_to,
     recorded_from, recorded_to)
WITH found AS (
    SELECT dataset, first_ref AS subject, alias AS predicate, last_ref AS object, 'ambiguous_key' AS rule,
           alias || ' is given by things with different ' || ref_key || ': it identifies neither' AS reason FROM ambiguous_aliases
    UNION
    SELECT dataset, first_ref, key_name, last_ref, 'different_key_values',
           'a chain of keys joins two different values of ' || key_name || ': nothing is merged' FROM split_components
), numbered AS (
    SELECT *, unhex(md5(CAST(to_json(['identity', dataset, subject, predicate, object, rule]) AS VARCHAR))) AS conflict_id FROM found
)
SELECT n.dataset, n.conflict_id, 'identity', n.subject, n.predicate, n.object, NULL, NULL, n.rule, n.reason, '-infinity', 'infinity',
       CAST($identity_at AS TIMESTAMPTZ), 'infinity'
FROM numbered AS n
LEFT JOIN graph.conflicts AS x ON x.dataset = n.dataset AND x.conflict_id = n.conflict_id
WHERE x.conflict_id IS NULL
