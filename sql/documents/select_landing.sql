-- Grain: one loaded document, with its turns in order and the hash of everything that makes it what it is.
-- Input: documents.documents and documents.turns of the landing file.
WITH spans AS (
    SELECT t.document_id,
           list(struct_pack(speaker := t.speaker, char_start := t.char_start, char_end := t.char_end,
                            reference_time := t.reference_time) ORDER BY t.position) AS turns
    FROM documents.turns AS t GROUP BY t.document_id
)
SELECT d.document_id, d.source, d.path, d.title, d.kind, d.media_type, d.language, d.reference_time, d.text, s.turns,
       unhex(md5(CAST(json_array(d.source, d.path, d.title, d.kind, d.media_type, d.language, epoch_us(d.reference_time), d.text,
                                 to_json(s.turns)) AS VARCHAR))) AS content_hash
FROM documents.documents AS d
LEFT JOIN spans AS s ON s.document_id = d.document_id
ORDER BY d.document_id
