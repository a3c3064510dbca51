-- Grain: a mention whose chunk is closed or which is no longer found. Inputs: extraction_entities, extraction_found, $dataset,
-- $instant. Chunks of an incomplete source keep what they have.
UPDATE graph.mentions AS m SET recorded_to = CAST($instant AS TIMESTAMPTZ)
WHERE m.dataset = $dataset AND m.recorded_to = 'infinity'
  AND NOT EXISTS (SELECT 1 FROM extraction_found AS f WHERE f.chunk_id = m.chunk_id AND f.incomplete)
  AND NOT EXISTS (
    SELECT 1 FROM extraction_entities AS e
    WHERE e.chunk_id = m.chunk_id AND e.ref = m.ref AND e.class = m.class AND e.char_start = m.char_start AND e.char_end = m.char_end
  );
