-- Grain: one document of a batch whose chunks must be made. Input: changed, landing.
SELECT l.document_id, l.media_type, l.language, l.reference_time, l.text, l.turns
FROM changed AS c JOIN landing AS l ON l.document_id = c.document_id
WHERE c.batch = $batch
ORDER BY l.document_id
