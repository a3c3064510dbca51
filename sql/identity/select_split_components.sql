-- Grain: one component that would hold two different values of one identifying key: it is not merged. Input: members.
SELECT dataset, component, key_name, min(ref) AS first_ref, max(ref) AS last_ref
FROM members GROUP BY dataset, component, key_name HAVING count(DISTINCT ref) > 1
