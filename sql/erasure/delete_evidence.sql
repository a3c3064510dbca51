-- Grain: evidence of erased statements that no remaining statement uses. Inputs: erased_statements, graph.statements.
DELETE FROM graph.evidence AS v USING (SELECT DISTINCT evidence_id FROM erased_statements) AS e
WHERE v.dataset = $dataset AND v.evidence_id = e.evidence_id
  AND NOT EXISTS (SELECT 1 FROM graph.statements AS s WHERE s.dataset = v.dataset AND s.evidence_id = v.evidence_id)
