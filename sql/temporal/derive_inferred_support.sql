-- Grain: one inferred segment and one statement that supports an overlapping premise of it. Input: segments_inferred, premises, graph.support.
WITH live AS (
    SELECT * FROM graph.support WHERE recorded_to = 'infinity'
)
SELECT DISTINCT g.dataset AS dataset, 'edge' AS kind, g.row_id AS row_id, g.content_hash AS content_hash,
       l.statement_id AS statement_id, g.key_at AS key_at
FROM inferred AS g
JOIN premises AS p ON p.dataset = g.dataset AND p.subject = g.subject AND p.predicate = g.predicate AND p.object = g.object
    AND p.valid_from < g.valid_to AND g.valid_from < p.valid_to
JOIN live AS l ON l.dataset = p.dataset AND l.row_id = p.premise_id AND l.content_hash = p.premise_hash
