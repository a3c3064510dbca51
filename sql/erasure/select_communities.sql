-- Grain: one community that ever held the erased entity, or whose report cites a relation of it. Its id is made of its members'
-- ids, so it goes as a whole and is found anew. Inputs: graph.community_members, graph.community_reports, erased_refs, erased_rows.
SELECT m.community_id FROM graph.community_members AS m JOIN erased_refs AS r ON r.ref = m.node_id WHERE m.dataset = $dataset
UNION
SELECT p.community_id FROM graph.community_reports AS p JOIN erased_rows AS e ON contains(p.findings, e.row_id)
WHERE p.dataset = $dataset AND e.kind = 'edge'
