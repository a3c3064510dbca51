-- Grain: one row per (stage, reason) of what was refused, beside the number of statements that stand.
-- Inputs: graph.quarantine, graph.statements.
WITH live AS (
    SELECT count(*) AS statements FROM graph.statements AS s WHERE s.recorded_to = 'infinity'
), refused AS (
    SELECT q.stage, q.reason, count(*) AS refused FROM graph.quarantine AS q GROUP BY q.stage, q.reason
)
SELECT r.stage, r.reason, r.refused, l.statements
FROM live AS l
LEFT JOIN refused AS r ON true
ORDER BY r.stage, r.reason;
