-- Grain: one node that becomes another: all of a group that is not torn stand for the one known best: that has a record, longest.
-- Inputs: merge_members, torn_groups, merge_reasons (node, method, score, reason).
WITH whole AS (
    SELECT m.* FROM merge_members AS m
    LEFT JOIN torn_groups AS t ON t.component = m.component WHERE t.component IS NULL
), placed AS (
    SELECT component, node, row_number() OVER (PARTITION BY component ORDER BY recorded DESC, since NULLS LAST, node) AS place FROM whole
)
SELECT w.node AS ref, p.node AS node_id, r.reason AS reason, r.method AS method, r.score AS score
FROM whole AS w
JOIN placed AS p ON p.component = w.component AND p.place = 1
JOIN merge_reasons AS r ON r.node = w.node
WHERE w.node <> p.node
