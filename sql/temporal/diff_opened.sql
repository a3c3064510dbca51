-- Grain: one segment that is believed from now on. Input: {current}, {wanted}.
SELECT g.* FROM {wanted} AS g
LEFT JOIN {current} AS c ON c.dataset = g.dataset AND c.row_id = g.row_id AND c.content_hash = g.content_hash
WHERE c.content_hash IS NULL
