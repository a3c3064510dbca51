-- Grain: one chunk as it was cut, with its hash and id. Input: cut.
-- content_hash covers what an extractor sees, so that a chunk which only moved is not paid for again; the id covers where the
-- chunk stands as well, so that one id never names two different rows.
CREATE OR REPLACE TEMP TABLE hashed_chunks AS
WITH hashed AS (
    SELECT c.*, md5(CAST(json_array(c.text, c.speaker, epoch_us(c.reference_time), c.language) AS VARCHAR)) AS seen
    FROM cut AS c
)
SELECT h.document_id || '#chunk-' || CAST(h.position AS VARCHAR) || '-'
           || left(md5(CAST(json_array(h.seen, h.char_start, h.char_end) AS VARCHAR)), 12) AS chunk_id,
       h.document_id, h.position, h.char_start, h.char_end, h.text, h.speaker, h.reference_time, h.language, unhex(h.seen) AS content_hash
FROM hashed AS h;
