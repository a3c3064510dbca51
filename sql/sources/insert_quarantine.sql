-- Grain: a refused row that is not in the quarantine yet. Input: the registered relation `problems`.
INSERT INTO graph.quarantine
SELECT $dataset, unhex(p.quarantine_id), $stage, p.reason, p.detail, p.payload, p.location, p.scope, $run_id, $recorded_at
FROM problems AS p LEFT JOIN graph.quarantine AS q ON q.dataset = $dataset AND q.quarantine_id = unhex(p.quarantine_id)
WHERE q.quarantine_id IS NULL;
