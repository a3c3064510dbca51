-- Grain: one statement of a premise, with the stretch on which it upholds an inferred relation. Input: premises, graph.claims.
WITH live AS (
    SELECT * FROM graph.claims WHERE recorded_to = 'infinity' AND kind = 'edge' AND facet = ''
)
SELECT DISTINCT p.dataset AS dataset, 'edge' AS kind,
       'urn:stratagraph:edge:' || md5(CAST(to_json([p.dataset, p.subject, p.predicate, p.object]) AS VARCHAR)) AS row_id,
       'inferred' AS facet, unhex(md5('inferred')) AS value_hash, l.statement_id AS statement_id,
       greatest(p.valid_from, l.valid_from) AS valid_from, least(p.valid_to, l.valid_to) AS valid_to, p.key_at AS key_at
FROM premises AS p
JOIN live AS l ON l.dataset = p.dataset AND l.row_id = p.premise_id AND l.value_hash = p.premise_hash
    AND l.valid_from < p.valid_to AND p.valid_from < l.valid_to
