-- Grain: one id that must not come back, by kind. A record that is the erased entity's own is kept out of the landing file as
-- well. Inputs: asked_refs, erased_statements, graph.evidence. Parameters: $dataset, $document, $record.
SELECT 'entity' AS kind, ref AS id FROM asked_refs
UNION SELECT 'document', $document WHERE $document IS NOT NULL
UNION SELECT 'record', $record WHERE $record IS NOT NULL
UNION
SELECT 'row', s.source || '/' || e.source_table || ' ' || e.source_key
FROM erased_statements AS s
JOIN asked_refs AS r ON r.ref = s.subject
JOIN graph.evidence AS e ON e.dataset = s.dataset AND e.evidence_id = s.evidence_id
WHERE s.kind = 'node' AND e.source_table IS NOT NULL AND e.source_key IS NOT NULL
