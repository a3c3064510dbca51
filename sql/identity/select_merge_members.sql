-- Grain: one node of a group that the merges join, with how well it is known. Inputs: merge_nodes, components, record_facets,
-- graph.statements. Parameter: $dataset.
WITH numbered AS (
    SELECT n.node AS node, c.component AS component FROM merge_nodes AS n JOIN components AS c ON c.number = n.number
), known AS (
    SELECT s.subject AS node, min(s.recorded_from) AS since FROM graph.statements AS s
    JOIN numbered AS n ON n.node = s.subject WHERE s.dataset = $dataset AND s.kind = 'node' GROUP BY s.subject
), recorded AS (
    SELECT DISTINCT record FROM record_facets
)
SELECT n.component AS component, n.node AS node, r.record IS NOT NULL AS recorded, k.since AS since
FROM numbered AS n LEFT JOIN known AS k ON k.node = n.node LEFT JOIN recorded AS r ON r.record = n.node
