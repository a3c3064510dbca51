-- Grain: one chunk of a batch of documents. Input: pieces.
INSERT INTO cut
SELECT p.document_id, p.position, p.char_start, p.char_end, p.text, p.speaker, p.reference_time, p.language FROM pieces AS p;
