-- Grain: a document that is new or differs now. Runs after close_documents. Input: landing.
INSERT INTO graph.documents
SELECT $dataset AS dataset, l.document_id, l.source, l.path, l.title, l.kind, l.media_type, l.language, l.reference_time, l.text,
       l.content_hash, CAST($instant AS TIMESTAMPTZ) AS recorded_from, CAST('infinity' AS TIMESTAMPTZ) AS recorded_to
FROM landing AS l
WHERE NOT EXISTS (
    SELECT 1 FROM graph.documents AS o
    WHERE o.dataset = $dataset AND o.recorded_to = 'infinity' AND o.document_id = l.document_id
)
ORDER BY l.document_id;
