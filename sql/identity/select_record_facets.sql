-- Grain: one table (facet) that has a record of a node: its key tells the node from all others of that table. Input: graph.nodes_open.
-- Parameter: $dataset.
SELECT DISTINCT node_id AS record, facet FROM graph.nodes_open WHERE dataset = $dataset AND facet <> 'text'
