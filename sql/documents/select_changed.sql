-- Grain: a loaded document whose chunks must be made: it is new, it differs, or the way of cutting changed ($recut). Input: landing.
SELECT l.document_id, l.media_type, l.language, l.reference_time, l.text, l.turns FROM landing AS l
WHERE $recut OR NOT EXISTS (
    SELECT 1 FROM graph.documents AS o
    WHERE o.dataset = $dataset AND o.recorded_to = 'infinity' AND o.document_id = l.document_id AND o.content_hash = l.content_hash
)
ORDER BY l.document_id
