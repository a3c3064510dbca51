-- Grain: one source of documents, now or ever staged: how many of its chunks still lack an answer, a fingerprint of all that it
-- says now, and what this stage staged of it last. Inputs: extraction_found, extraction_statements, graph.watermarks, $dataset.
WITH live AS (
    SELECT f.source, count(*) AS chunks, count(*) FILTER (WHERE f.missing) AS missing FROM extraction_found AS f GROUP BY f.source
), said AS (
    SELECT s.source, md5(string_agg(md5(CAST(s AS VARCHAR)), '' ORDER BY md5(CAST(s AS VARCHAR)))) AS content,
           count(*) FILTER (WHERE s.kind = 'node' AND s.facet = 'text') AS entities, count(*) FILTER (WHERE s.kind = 'edge') AS relations
    FROM extraction_statements AS s GROUP BY s.source
), staged AS (
    SELECT substr(w.scope, 8) AS source, w.fingerprint FROM graph.watermarks AS w
    WHERE w.dataset = $dataset AND w.stage = 'extraction' AND starts_with(w.scope, 'source:')
), named AS (
    SELECT l.source FROM live AS l UNION SELECT t.source FROM staged AS t
)
SELECT n.source, coalesce(l.missing, 0) AS missing, coalesce(d.content, '') AS content, coalesce(d.entities, 0) AS entities,
       coalesce(d.relations, 0) AS relations, t.fingerprint AS staged
FROM named AS n
LEFT JOIN live AS l ON l.source = n.source
LEFT JOIN said AS d ON d.source = n.source
LEFT JOIN staged AS t ON t.source = n.source
ORDER BY n.source;
