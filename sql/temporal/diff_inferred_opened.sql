-- Grain: one inferred segment that is believed from now on. Input: current_inferred, inferred.
SELECT g.* FROM inferred AS g
LEFT JOIN current_inferred AS c ON c.dataset = g.dataset AND c.row_id = g.row_id AND c.content_hash = g.content_hash
WHERE c.content_hash IS NULL
