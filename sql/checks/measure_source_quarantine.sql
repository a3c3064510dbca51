-- Grain: a reason for which rows of a source were refused, beside the number of its statements that stand.
-- Inputs: graph.quarantine, graph.statements.
WITH live AS (
    SELECT count(*) AS statements FROM graph.statements AS s
    WHERE s.dataset = $dataset AND s.source = $source AND s.recorded_to = 'infinity'
), refused AS (
    SELECT q.reason, count(*) AS refused FROM graph.quarantine AS q
    WHERE q.dataset = $dataset AND q.stage = 'landing' AND (q.scope = $source OR starts_with(q.scope, $source || '/'))
    GROUP BY q.reason
)
SELECT r.reason, r.refused, l.statements
FROM live AS l
LEFT JOIN refused AS r ON true
ORDER BY r.reason;
