-- Grain: a chunk that is new. Runs after close_chunks. Input: hashed_chunks.
INSERT INTO graph.chunks
SELECT $dataset AS dataset, h.chunk_id, h.document_id, h.position, h.char_start, h.char_end, h.text, h.speaker, h.reference_time,
       h.language, h.content_hash, CAST($instant AS TIMESTAMPTZ) AS recorded_from, CAST('infinity' AS TIMESTAMPTZ) AS recorded_to
FROM hashed_chunks AS h
WHERE NOT EXISTS (
    SELECT 1 FROM graph.chunks AS o
    WHERE o.dataset = $dataset AND o.recorded_to = 'infinity' AND o.chunk_id = h.chunk_id
)
ORDER BY h.document_id, h.position;
