-- Grain: one id of a believed row of the erased entity, or of a relation from or to it. Inputs: graph.nodes, graph.edges, erased_refs.
SELECT 'node' AS kind, ref AS row_id FROM erased_refs
UNION SELECT 'edge', e.edge_id FROM graph.edges AS e JOIN erased_refs AS r ON r.ref = e.subject WHERE e.dataset = $dataset
UNION SELECT 'edge', e.edge_id FROM graph.edges AS e JOIN erased_refs AS r ON r.ref = e.object WHERE e.dataset = $dataset
