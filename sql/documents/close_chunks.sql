-- Grain: a chunk that its document no longer has. Runs after documents are written. Input: hashed_chunks, changed.
UPDATE graph.chunks AS o SET recorded_to = CAST($instant AS TIMESTAMPTZ)
WHERE o.dataset = $dataset AND o.recorded_to = 'infinity'
  AND (
    NOT EXISTS (
        SELECT 1 FROM graph.documents AS d
        WHERE d.dataset = o.dataset AND d.recorded_to = 'infinity' AND d.document_id = o.document_id
    )
    OR (
        EXISTS (SELECT 1 FROM changed AS x WHERE x.document_id = o.document_id)
        AND NOT EXISTS (SELECT 1 FROM hashed_chunks AS h WHERE h.chunk_id = o.chunk_id)
    )
  );
