-- Grain: one group in which two nodes have different values of one key, and none in common; contradict each other; are of disjoint classes;
-- or are two as a user decided: nothing in it is merged. Inputs: merge_members, key_marks, pair_contradictions, record_classes,
-- disjoint (class, other), apart_pairs (a, b). Parameter: $origins, of the keys that count.
WITH marked AS (
    SELECT m.component AS component, m.node AS node, k.key_name AS key_name, k.value AS value
    FROM merge_members AS m JOIN key_marks AS k ON k.record = m.node WHERE list_contains($origins, k.origin)
), compared AS (
    SELECT x.component, x.key_name, x.node AS node, y.node AS other, count(*) FILTER (x.value = y.value) AS shared
    FROM marked AS x JOIN marked AS y ON y.component = x.component AND y.key_name = x.key_name AND y.node > x.node
    GROUP BY x.component, x.key_name, x.node, y.node
), torn AS (
    SELECT component, key_name AS why FROM compared WHERE shared = 0
    UNION
    SELECT x.component, c.field FROM pair_contradictions AS c
    JOIN merge_members AS x ON x.node = c.a
    JOIN merge_members AS y ON y.node = c.b AND y.component = x.component
    WHERE c.reason = 'contradicts'
    UNION
    SELECT x.component, 'disjoint classes' FROM merge_members AS x
    JOIN merge_members AS y ON y.component = x.component
    JOIN record_classes AS c ON c.record = x.node
    JOIN record_classes AS o ON o.record = y.node
    JOIN disjoint AS d ON d.class = c.class AND d.other = o.class
    WHERE x.node <> y.node
    UNION
    SELECT x.component, 'told apart' FROM apart_pairs AS p
    JOIN merge_members AS x ON x.node = p.a
    JOIN merge_members AS y ON y.node = p.b AND y.component = x.component
)
SELECT component, min(why) AS why FROM torn GROUP BY component
