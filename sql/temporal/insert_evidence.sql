-- Grain: one place where something was said, once. Input: arrivals, graph.evidence.
INSERT INTO graph.evidence (dataset, evidence_id, document_id, chunk_id, char_start, char_end, quote, source_table, source_key)
WITH placed AS (
    SELECT DISTINCT dataset, evidence_id, document_id, chunk_id, char_start, char_end, quote, source_table, source_key FROM arrivals
)
SELECT p.* FROM placed AS p
LEFT JOIN graph.evidence AS e ON e.dataset = p.dataset AND e.evidence_id = p.evidence_id
WHERE e.evidence_id IS NULL
