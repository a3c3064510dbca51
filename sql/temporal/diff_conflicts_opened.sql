-- Grain: one conflict that begins. Input: current_conflicts, conflicts_wanted.
SELECT w.* FROM conflicts_wanted AS w
LEFT JOIN current_conflicts AS c ON c.dataset = w.dataset AND c.conflict_id = w.conflict_id
WHERE c.conflict_id IS NULL
