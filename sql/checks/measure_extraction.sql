-- Grain: one row: chunks of a dataset that say something, those of them that no engine read, places where things are named, and what
-- was refused by reason (a map). Inputs: graph.chunks, graph.llm_calls, graph.mentions, graph.quarantine, $dataset.
WITH live AS (
    SELECT c.content_hash FROM graph.chunks AS c
    WHERE c.dataset = $dataset AND c.recorded_to = 'infinity' AND NOT regexp_full_match(c.text, '[\s\p{Z}\p{C}]*')
), refused AS (
    SELECT q.reason, count(*) AS rows FROM graph.quarantine AS q
    WHERE q.dataset = $dataset AND q.stage = 'extraction' GROUP BY q.reason
)
SELECT (SELECT count(*) FROM live) AS chunks,
       (SELECT count(*) FROM live AS l ANTI JOIN graph.llm_calls AS a ON a.dataset = $dataset AND a.chunk_hash = l.content_hash)
           AS unread,
       (SELECT count(*) FROM graph.mentions AS m WHERE m.dataset = $dataset AND m.recorded_to = 'infinity') AS mentions,
       (SELECT map(coalesce(list(r.reason ORDER BY r.reason), []), coalesce(list(r.rows ORDER BY r.reason), [])) FROM refused AS r)
           AS refused;
