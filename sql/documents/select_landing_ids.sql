-- Grain: one loaded document. Input: landing.
SELECT l.document_id FROM landing AS l ORDER BY l.document_id
