-- Grain: one open row that is no longer believed; its value stands in current_rows. Input: current_rows, meetings, kept, touched.
WITH met AS (
    SELECT DISTINCT number FROM meetings
), ended AS (
    SELECT m.number FROM met AS m LEFT JOIN kept AS k ON k.number = m.number WHERE k.number IS NULL
)
SELECT c.number AS number, c.kind AS kind, c.dataset AS dataset, c.row_id AS row_id, c.subject AS subject, c.predicate AS predicate,
       c.object AS object, c.valid_from AS valid_from, c.valid_to AS valid_to, t.key_at AS key_at, c.content_hash AS content_hash
FROM current_rows AS c
JOIN ended AS e ON e.number = c.number
JOIN touched AS t ON t.key = c.key
