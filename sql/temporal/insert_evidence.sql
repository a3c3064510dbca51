-- Grain: one place where something was said, once. Input: arrivals, normalised, graph.evidence.
INSERT INTO graph.evidence (dataset, evidence_id, document_id, chunk_id, char_start, char_end, quote, source_table, source_key)
WITH places AS (
    SELECT n.dataset, n.evidence_id, min(n.number) AS number FROM arrivals AS a JOIN normalised AS n ON n.number = a.number
    GROUP BY n.dataset, n.evidence_id
), known AS (
    SELECT p.number FROM graph.evidence AS e JOIN places AS p ON p.evidence_id = e.evidence_id AND p.dataset = e.dataset
), fresh AS (
    SELECT p.number FROM places AS p LEFT JOIN known AS k ON k.number = p.number WHERE k.number IS NULL
)
SELECT n.dataset, n.evidence_id, n.document_id, n.chunk_id, n.char_start, n.char_end, n.quote, n.source_table, n.source_key
FROM normalised AS n JOIN fresh AS f ON f.number = n.number
