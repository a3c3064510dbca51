-- Grain: one row per refused input. What was refused may hold secrets, so only where and why is published.
-- Input: graph.quarantine.
SELECT q.dataset, q.quarantine_id, q.stage, q.reason, '' AS detail, '' AS payload, q.location, q.scope, q.run_id, q.recorded_at
FROM graph.quarantine AS q ORDER BY ALL;
