-- Grain: one node at which a composed relation may end that changed: reached, or of a relation that is derived again anyway. Input: {seen},
-- plain_keys, composed, parts.
WITH again AS (
    SELECT p.part, CASE WHEN c.swapped THEN k.subject ELSE k.object END AS node
    FROM plain_keys AS k JOIN composed AS c ON c.predicate = k.predicate JOIN parts AS p ON p.predicate = c.head
    WHERE k.dataset = $dataset
)
SELECT part, node FROM {seen} UNION SELECT part, node FROM again
