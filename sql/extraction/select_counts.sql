-- Grain: one row, what stands now; quarantined is a map from reason to rows. Inputs: graph.mentions, graph.quarantine, graph.chunks,
-- $dataset.
WITH refused AS (
    SELECT q.reason, count(*) AS rows FROM graph.quarantine AS q
    WHERE q.dataset = $dataset AND q.stage = 'extraction' GROUP BY q.reason
)
SELECT (SELECT count(*) FROM graph.chunks AS c WHERE c.dataset = $dataset AND c.recorded_to = 'infinity') AS chunks,
       (SELECT count(*) FROM graph.mentions AS m WHERE m.dataset = $dataset AND m.recorded_to = 'infinity') AS mentions,
       (SELECT map(coalesce(list(r.reason ORDER BY r.reason), []), coalesce(list(r.rows ORDER BY r.reason), [])) FROM refused AS r)
           AS quarantined;
