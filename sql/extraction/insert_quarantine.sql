-- Grain: a refusal that was not known yet. Inputs: extraction_refused, $dataset, $run_id, $recorded_at.
INSERT INTO graph.quarantine
SELECT $dataset AS dataset, r.quarantine_id, 'extraction' AS stage, r.reason, r.detail, r.payload, r.location, r.scope,
       $run_id AS run_id, CAST($recorded_at AS TIMESTAMPTZ) AS recorded_at
FROM extraction_refused AS r
WHERE NOT EXISTS (
    SELECT 1 FROM graph.quarantine AS q
    WHERE q.dataset = $dataset AND q.stage = 'extraction' AND q.quarantine_id = r.quarantine_id
)
ORDER BY r.location, r.reason, r.quarantine_id;
