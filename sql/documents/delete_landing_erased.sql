-- Grain: a loaded document that is erased. Input: landing, kept.
DELETE FROM landing AS l WHERE NOT EXISTS (SELECT 1 FROM kept AS k WHERE k.document_id = l.document_id);
