-- Grain: one open row that is no longer believed. Input: current_rows, rows_wanted, touched.
WITH kept AS (
    SELECT key, valid_from, valid_to, coalesce(object, '') AS object FROM rows_wanted WHERE kept
)
SELECT t.dataset AS dataset, c.kind AS kind, c.row_id AS row_id, c.content_hash AS content_hash, t.k1 AS subject, t.k2 AS predicate,
       c.object AS object, t.key_at AS key_at
FROM current_rows AS c
JOIN touched AS t ON t.key = c.key
LEFT JOIN kept AS k ON k.key = c.key AND k.valid_from = c.valid_from AND k.valid_to = c.valid_to
    AND k.object = c.object
WHERE k.key IS NULL
