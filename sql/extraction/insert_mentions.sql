-- Grain: a mention that is new. Inputs: extraction_entities, $dataset, $instant.
INSERT INTO graph.mentions
SELECT $dataset AS dataset, e.chunk_id, e.document_id, e.ref, e.class, e.surface, e.char_start, e.char_end,
       CAST($instant AS TIMESTAMPTZ) AS recorded_from, CAST('infinity' AS TIMESTAMPTZ) AS recorded_to
FROM (SELECT DISTINCT chunk_id, document_id, ref, class, surface, char_start, char_end FROM extraction_entities) AS e
WHERE NOT EXISTS (
    SELECT 1 FROM graph.mentions AS m
    WHERE m.dataset = $dataset AND m.recorded_to = 'infinity' AND m.chunk_id = e.chunk_id AND m.ref = e.ref AND m.class = e.class
      AND m.char_start = e.char_start AND m.char_end = e.char_end
)
ORDER BY e.document_id, e.char_start, e.char_end, e.ref;
