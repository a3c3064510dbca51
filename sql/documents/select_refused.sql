-- Grain: one refused file or record. Input: documents.refused of the landing file.
SELECT scope, location, reason, detail, payload FROM documents.refused ORDER BY location, reason, payload
