-- Grain: a document that is gone or differs now; it was believed until $instant. Input: landing.
UPDATE graph.documents AS o SET recorded_to = CAST($instant AS TIMESTAMPTZ)
WHERE o.dataset = $dataset AND o.recorded_to = 'infinity'
  AND NOT EXISTS (SELECT 1 FROM landing AS l WHERE l.document_id = o.document_id AND l.content_hash = o.content_hash);
