-- Grain: one staged statement whose subject, object, document and record are not erased. Inputs: {staged}, graph.tombstones.
-- Parameters: $dataset, $secret.
WITH named AS (
    SELECT 'entity' AS kind, subject AS id FROM {staged}
    UNION SELECT 'entity', object FROM {staged}
    UNION SELECT 'document', document_id FROM {staged}
    UNION SELECT 'record', source || '/' || source_table || ' ' || source_key FROM {staged}
), hashed AS (
    SELECT n.kind, n.id, token_of($secret, n.kind, n.id) AS token FROM named AS n WHERE n.id IS NOT NULL
), mine AS (
    SELECT kind, token FROM graph.tombstones WHERE dataset = $dataset
), erased AS (
    SELECT h.kind, h.id FROM hashed AS h JOIN mine AS t ON t.kind = h.kind AND t.token = h.token
), entities AS (
    SELECT id FROM erased WHERE kind = 'entity'
), documents AS (
    SELECT id FROM erased WHERE kind = 'document'
), records AS (
    SELECT id FROM erased WHERE kind = 'record'
)
SELECT s.* FROM {staged} AS s
LEFT JOIN entities AS a ON a.id = s.subject
LEFT JOIN entities AS b ON b.id = s.object
LEFT JOIN documents AS d ON d.id = s.document_id
LEFT JOIN records AS r ON r.id = s.source || '/' || s.source_table || ' ' || s.source_key
WHERE a.id IS NULL AND b.id IS NULL AND d.id IS NULL AND r.id IS NULL
