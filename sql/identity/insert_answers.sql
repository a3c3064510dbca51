-- Grain: one answer about two candidates, kept so that it is never asked for again; of both candidates' content, so that it goes with it.
-- Input: judged_answers. Parameters: $dataset, $at.
INSERT INTO graph.llm_calls
    (dataset, cache_key, engine, model, chunk_hash, prompt_tokens, completion_tokens, response, recorded_at)
SELECT $dataset, cache_key, 'openai', model, content_hash, prompt_tokens, completion_tokens, response, CAST($at AS TIMESTAMPTZ)
FROM judged_answers ORDER BY cache_key
