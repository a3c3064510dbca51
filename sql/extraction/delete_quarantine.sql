-- Grain: a refusal of this stage that no longer stands. Inputs: extraction_refused, extraction_found, $dataset. What was refused
-- of an incomplete source stays until it is complete.
DELETE FROM graph.quarantine AS q
WHERE q.dataset = $dataset AND q.stage = 'extraction'
  AND NOT EXISTS (SELECT 1 FROM extraction_found AS f WHERE f.chunk_id = q.location AND f.incomplete)
  AND NOT EXISTS (SELECT 1 FROM extraction_refused AS r WHERE r.quarantine_id = q.quarantine_id);
