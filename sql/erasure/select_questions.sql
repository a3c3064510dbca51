-- Grain: the hash of a chunk whose kept answer goes: one of the erased document that stands nowhere else, or one that names the
-- erased entity; and of what a model was asked about two candidates for one thing. Inputs: graph.chunks, graph.mentions, graph.evidence, erased_chunks, erased_refs, erased_statements,
-- erased_candidates.
WITH naming AS (
    SELECT m.chunk_id FROM graph.mentions AS m JOIN erased_refs AS r ON r.ref = m.ref WHERE m.dataset = $dataset
    UNION
    SELECT e.chunk_id FROM graph.evidence AS e JOIN erased_statements AS s ON s.evidence_id = e.evidence_id
    WHERE e.dataset = $dataset AND e.chunk_id IS NOT NULL
), elsewhere AS (
    SELECT DISTINCT c.content_hash FROM graph.chunks AS c
    LEFT JOIN erased_chunks AS x ON x.chunk_id = c.chunk_id WHERE c.dataset = $dataset AND x.chunk_id IS NULL
), gone AS (
    SELECT x.content_hash FROM erased_chunks AS x
    LEFT JOIN elsewhere AS w ON w.content_hash = x.content_hash WHERE w.content_hash IS NULL
), named AS (
    SELECT c.content_hash FROM graph.chunks AS c JOIN naming AS n ON n.chunk_id = c.chunk_id
    LEFT JOIN erased_chunks AS x ON x.chunk_id = c.chunk_id WHERE c.dataset = $dataset AND x.chunk_id IS NULL
)
SELECT content_hash FROM gone UNION SELECT content_hash FROM named UNION SELECT content_hash FROM erased_candidates
