-- Grain: one name under which refused input may speak of what is erased: an id, or a label. Input: erased_refs, graph.nodes.
SELECT ref AS name FROM erased_refs
UNION
SELECT n.label FROM graph.nodes AS n JOIN erased_refs AS r ON r.ref = n.node_id
WHERE n.dataset = $dataset AND n.label IS NOT NULL AND length(n.label) > 1
