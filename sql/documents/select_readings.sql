-- Grain: one way in which fields of chat logs of a source were found, with how many files were read that way and one of them.
-- Input: documents.readings of the landing file.
SELECT r.source, r.fields, count(*) AS files, min(r.path) AS example
FROM documents.readings AS r
GROUP BY r.source, r.fields
ORDER BY r.source, files DESC, r.fields
LIMIT 20
