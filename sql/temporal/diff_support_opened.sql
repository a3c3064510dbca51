-- Grain: one support row that begins. Input: {current}, {wanted}.
SELECT w.* FROM {wanted} AS w
LEFT JOIN {current} AS c ON c.row_id = w.row_id AND c.content_hash = w.content_hash
    AND c.statement_id = w.statement_id
WHERE c.statement_id IS NULL
