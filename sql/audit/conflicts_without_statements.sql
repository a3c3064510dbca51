-- Design rule 8: a conflict names two statements that were made, and one that is listed now names two that are live.
WITH named AS (
    SELECT dataset, subject || ' ' || predicate AS key, standing_statement AS statement_id, recorded_from, recorded_to
    FROM graph.conflicts WHERE kind <> 'identity'
    UNION ALL
    SELECT dataset, subject || ' ' || predicate, overridden_statement, recorded_from, recorded_to
    FROM graph.conflicts WHERE kind <> 'identity'
), made AS (
    SELECT dataset, statement_id, max(recorded_to) AS recorded_to FROM graph.statements GROUP BY dataset, statement_id
)
SELECT DISTINCT n.dataset, n.key, NULL AS valid_from, n.recorded_from FROM named AS n
LEFT JOIN made AS m ON m.dataset = n.dataset AND m.statement_id = n.statement_id
WHERE m.statement_id IS NULL OR (n.recorded_to = 'infinity' AND m.recorded_to < 'infinity')
