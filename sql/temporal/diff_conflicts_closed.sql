-- Grain: one conflict that ends. Input: current_conflicts, conflicts_wanted.
SELECT c.* FROM current_conflicts AS c
LEFT JOIN conflicts_wanted AS w ON w.dataset = c.dataset AND w.conflict_id = c.conflict_id
WHERE w.conflict_id IS NULL
