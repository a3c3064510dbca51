-- Grain: a refusal that was not known yet. Input: identified_refused.
INSERT INTO graph.quarantine
SELECT $dataset AS dataset, r.quarantine_id, 'documents' AS stage, r.reason, r.detail, r.payload, r.location, r.scope,
       $fingerprint AS run_id, CAST($instant AS TIMESTAMPTZ) AS recorded_at
FROM identified_refused AS r
WHERE NOT EXISTS (
    SELECT 1 FROM graph.quarantine AS q
    WHERE q.dataset = $dataset AND q.stage = 'documents' AND q.quarantine_id = r.quarantine_id
)
ORDER BY r.location, r.reason;
