-- Grain: one node taking part in a component that is not settled, with a dense number. Input: group_links.
WITH nodes AS (
    SELECT dataset, ref_node AS node FROM group_links UNION SELECT dataset, alias_node FROM group_links
)
SELECT dataset, node, row_number() OVER (ORDER BY dataset, node) - 1 AS number FROM nodes
