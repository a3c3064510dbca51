-- Grain: one stretch of a conflict that ends. Input: current_conflicts, conflict_segments.
SELECT DISTINCT c.dataset AS dataset, c.conflict_id AS conflict_id, c.valid_from AS valid_from, c.valid_to AS valid_to, c.key_at AS key_at
FROM current_conflicts AS c
LEFT JOIN conflict_segments AS s ON s.key = c.conflict_id AND s.valid_from = c.valid_from AND s.valid_to = c.valid_to
WHERE s.key IS NULL
