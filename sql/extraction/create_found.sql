-- Grain: one live chunk with its resolved answer. A chunk without one is missing, and its whole source is incomplete: nothing of
-- an incomplete source goes on. Inputs: extraction_inputs, graph.llm_calls, registered table extraction_failed(cache_key, reason,
-- detail, payload) of chunks that were given up, $dataset.
CREATE OR REPLACE TEMP TABLE extraction_found AS
WITH answered AS (
    SELECT i.chunk_id, i.document_id, i.source, i.position, i.char_start, i.text, i.reference_time,
           json_extract(c.response, '$.resolved') AS resolved,
           c.cache_key IS NULL AND f.cache_key IS NULL AND NOT i.is_empty AS missing,
           f.reason AS failed_reason, f.detail AS failed_detail, f.payload AS failed_payload
    FROM extraction_inputs AS i
    LEFT JOIN graph.llm_calls AS c ON c.dataset = $dataset AND c.cache_key = i.cache_key
    LEFT JOIN extraction_failed AS f ON f.cache_key = i.cache_key
)
SELECT a.*, bool_or(a.missing) OVER (PARTITION BY a.source) AS incomplete FROM answered AS a;
