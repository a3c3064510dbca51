-- Grain: one answered question. Inputs: registered table extraction_answers(cache_key, engine, model, chunk_hash, prompt_tokens,
-- completion_tokens, response), $dataset, $recorded_at.
INSERT INTO graph.llm_calls
SELECT $dataset AS dataset, a.cache_key, a.engine, a.model, a.chunk_hash, a.prompt_tokens, a.completion_tokens, a.response,
       CAST($recorded_at AS TIMESTAMPTZ) AS recorded_at
FROM extraction_answers AS a;
