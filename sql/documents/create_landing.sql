-- Grain: one loaded document. Input: incoming, the rows of select_landing.
CREATE OR REPLACE TEMP TABLE landing AS
SELECT i.document_id, i.source, i.path, i.title, i.kind, i.media_type, i.language, i.reference_time, i.text, i.turns, i.content_hash
FROM incoming AS i;
