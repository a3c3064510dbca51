-- Grain: one ref of a component, with the node it stands for now and how well that node is known. Input: group_links, unsettled_nodes,
-- components (number -> component), mapping, graph.statements.
WITH numbered AS (
    SELECT u.dataset, u.node, c.component FROM unsettled_nodes AS u JOIN components AS c ON c.number = u.number
), refs AS (
    SELECT dataset, ref AS ref, ref_key AS key_name, ref_node AS node, TRUE AS is_primary FROM group_links
    UNION ALL
    SELECT dataset, alias, alias_key, alias_node, FALSE FROM group_links
), distinct_refs AS (
    SELECT dataset, ref, key_name, node, bool_or(is_primary) AS is_primary FROM refs GROUP BY dataset, ref, key_name, node
), known AS (
    SELECT s.dataset, s.subject AS node, min(s.recorded_from) AS since FROM graph.statements AS s
    JOIN (SELECT DISTINCT dataset, node FROM numbered) AS n ON n.dataset = s.dataset AND n.node = s.subject
    WHERE s.kind = 'node' GROUP BY s.dataset, s.subject
)
SELECT r.dataset AS dataset, n.component AS component, r.ref AS ref, r.key_name AS key_name, r.node AS node,
       r.is_primary AS is_primary, k.since AS since
FROM distinct_refs AS r
JOIN numbered AS n ON n.dataset = r.dataset AND n.node = r.node
LEFT JOIN known AS k ON k.dataset = r.dataset AND k.node = r.node
