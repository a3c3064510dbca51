-- Grain: one name under which refused input may speak of what is erased: an id, or a label of an erased entity.
-- Inputs: asked_refs, graph.nodes. Parameters: $dataset, $document.
SELECT ref AS name FROM asked_refs
UNION
SELECT n.label FROM graph.nodes AS n JOIN asked_refs AS r ON r.ref = n.node_id
WHERE n.dataset = $dataset AND n.label IS NOT NULL AND length(n.label) > 1 AND $document IS NULL
