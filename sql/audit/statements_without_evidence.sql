-- Design section 3: every statement says where it was said.
SELECT s.dataset, hex(s.statement_id) AS key, s.valid_from, s.recorded_from FROM graph.statements AS s
LEFT JOIN graph.evidence AS v ON v.dataset = s.dataset AND v.evidence_id = s.evidence_id
WHERE v.evidence_id IS NULL
