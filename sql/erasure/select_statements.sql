-- Grain: one row of the log that goes: what is said of the erased entity, of its relations from and to others, in the erased
-- document, or by the erased record. Inputs: graph.statements, graph.evidence, asked_refs. Parameters: $dataset, $document, $record.
WITH said AS (
    SELECT evidence_id FROM graph.evidence WHERE dataset = $dataset AND document_id = $document
), located AS (
    SELECT evidence_id, source_table || ' ' || source_key AS place FROM graph.evidence
    WHERE dataset = $dataset AND source_table IS NOT NULL AND source_key IS NOT NULL AND ends_with($record, '/' || source_table || ' ' || source_key)
), found AS (
    SELECT s.statement_id, s.recorded_from FROM graph.statements AS s JOIN asked_refs AS r ON r.ref = s.subject WHERE s.dataset = $dataset
    UNION SELECT s.statement_id, s.recorded_from FROM graph.statements AS s JOIN asked_refs AS r ON r.ref = s.object WHERE s.dataset = $dataset
    UNION SELECT s.statement_id, s.recorded_from FROM graph.statements AS s JOIN said AS e ON e.evidence_id = s.evidence_id WHERE s.dataset = $dataset
    UNION SELECT s.statement_id, s.recorded_from FROM graph.statements AS s WHERE s.dataset = $dataset AND s.scope = $document
    UNION SELECT s.statement_id, s.recorded_from FROM graph.statements AS s JOIN located AS e ON e.evidence_id = s.evidence_id
          WHERE s.dataset = $dataset AND s.source || '/' || e.place = $record
)
SELECT s.* FROM graph.statements AS s JOIN found AS f ON f.statement_id = s.statement_id AND f.recorded_from = s.recorded_from
WHERE s.dataset = $dataset
