-- Grain: one support row that ends, at the time of its key's change. Input: {current}, {wanted}, {keys} (row and key_at).
WITH dated AS (
    SELECT DISTINCT dataset, row_id, content_hash, key_at FROM {keys}
), ended AS (
    SELECT c.* FROM {current} AS c
    LEFT JOIN {wanted} AS w ON w.row_id = c.row_id AND w.content_hash = c.content_hash AND w.statement_id = c.statement_id
    WHERE w.statement_id IS NULL
)
SELECT e.dataset AS dataset, e.row_id AS row_id, e.content_hash AS content_hash, e.statement_id AS statement_id, d.key_at AS key_at
FROM ended AS e JOIN dated AS d ON d.dataset = e.dataset AND d.row_id = e.row_id AND d.content_hash = e.content_hash
