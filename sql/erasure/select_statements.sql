-- Grain: one row of the log that goes: what is said of the erased entity, of its relations from and to others, in the erased
-- document, or by the erased record. Inputs: graph.statements, graph.evidence, asked_refs. Parameters: $dataset, $document, $record.
WITH log AS (
    SELECT * FROM graph.statements WHERE dataset = $dataset
), said AS (
    SELECT evidence_id FROM graph.evidence WHERE dataset = $dataset AND document_id = $document
), located AS (
    SELECT evidence_id, source_table || ' ' || source_key AS place FROM graph.evidence
    WHERE dataset = $dataset AND source_table IS NOT NULL AND source_key IS NOT NULL AND $record IS NOT NULL
), found AS (
    SELECT l.statement_id, l.recorded_from FROM log AS l JOIN asked_refs AS r ON r.ref = l.subject
    UNION SELECT l.statement_id, l.recorded_from FROM log AS l JOIN asked_refs AS r ON r.ref = l.object
    UNION SELECT l.statement_id, l.recorded_from FROM log AS l JOIN said AS e ON e.evidence_id = l.evidence_id
    UNION SELECT l.statement_id, l.recorded_from FROM log AS l WHERE l.scope = $document
    UNION SELECT l.statement_id, l.recorded_from FROM log AS l JOIN located AS e ON e.evidence_id = l.evidence_id
          WHERE l.source || '/' || e.place = $record
)
SELECT l.* FROM log AS l JOIN found AS f ON f.statement_id = l.statement_id AND f.recorded_from = l.recorded_from
