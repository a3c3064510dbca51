-- Grain: one group in which two nodes have different values of one key, and none in common: nothing in it is merged.
-- Inputs: merge_members, key_marks. Parameter: $origins, of the keys that count.
WITH marked AS (
    SELECT m.component AS component, m.node AS node, k.key_name AS key_name, k.value AS value
    FROM merge_members AS m JOIN key_marks AS k ON k.record = m.node WHERE list_contains($origins, k.origin)
), compared AS (
    SELECT x.component, x.key_name, x.node AS node, y.node AS other, count(*) FILTER (x.value = y.value) AS shared
    FROM marked AS x JOIN marked AS y ON y.component = x.component AND y.key_name = x.key_name AND y.node > x.node
    GROUP BY x.component, x.key_name, x.node, y.node
)
SELECT component, min(key_name) AS key_name FROM compared WHERE shared = 0 GROUP BY component
