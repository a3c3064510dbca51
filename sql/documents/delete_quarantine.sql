-- Grain: a refusal of this stage that no longer stands, because the input is fine or gone. Input: identified_refused.
DELETE FROM graph.quarantine AS q
WHERE q.dataset = $dataset AND q.stage = 'documents'
  AND NOT EXISTS (SELECT 1 FROM identified_refused AS r WHERE r.quarantine_id = q.quarantine_id);
