-- Grain: one open row that is no longer believed. Input: {current}, {wanted}.
SELECT c.* FROM {current} AS c
LEFT JOIN {wanted} AS g ON g.dataset = c.dataset AND g.row_id = c.row_id AND g.content_hash = c.content_hash
WHERE g.content_hash IS NULL
