-- Grain: one row, open before or wanted now, of a touched key, with the time of its key's change. Input: current_rows, touched.
SELECT t.dataset AS dataset, c.row_id AS row_id, c.content_hash AS content_hash, t.key_at AS key_at
FROM current_rows AS c JOIN touched AS t ON t.key = c.key
