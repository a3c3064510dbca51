-- Grain: one support row that ends. Input: {current}, {wanted}.
SELECT c.* FROM {current} AS c
LEFT JOIN {wanted} AS w ON w.dataset = c.dataset AND w.row_id = c.row_id AND w.content_hash = c.content_hash
    AND w.statement_id = c.statement_id
WHERE w.statement_id IS NULL
