-- Grain: one kept answer about a chunk that names what is erased. Input: erased_questions.
DELETE FROM graph.llm_calls AS c USING erased_questions AS q WHERE c.dataset = $dataset AND c.chunk_hash = q.content_hash
