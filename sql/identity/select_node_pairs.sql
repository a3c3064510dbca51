-- Grain: one link as a pair of numbers. Input: group_links, unsettled_nodes.
SELECT a.number AS a, b.number AS b
FROM group_links AS g
JOIN unsettled_nodes AS a ON a.dataset = g.dataset AND a.node = g.ref_node
JOIN unsettled_nodes AS b ON b.dataset = g.dataset AND b.node = g.alias_node
ORDER BY a.number, b.number
