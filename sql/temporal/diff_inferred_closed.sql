-- Grain: one open inferred row that is no longer believed. Input: current_inferred, inferred.
SELECT c.* FROM current_inferred AS c
LEFT JOIN inferred AS g ON g.dataset = c.dataset AND g.row_id = c.row_id AND g.content_hash = c.content_hash
WHERE g.content_hash IS NULL
