-- Grain: one open claim of a premise's statement on a touched inferred relation. Input: inferred_keys, graph.claims.
WITH live AS (
    SELECT * FROM graph.claims WHERE recorded_to = 'infinity' AND facet = 'inferred'
), keyed AS (
    SELECT dataset, key_at, 'urn:stratagraph:edge:' || md5(CAST(to_json([dataset, subject, predicate, object]) AS VARCHAR)) AS row_id
    FROM inferred_keys
)
SELECT l.dataset AS dataset, l.kind AS kind, l.row_id AS row_id, l.facet AS facet, l.value_hash AS value_hash,
       l.statement_id AS statement_id, l.valid_from AS valid_from, l.valid_to AS valid_to, k.key_at AS key_at
FROM live AS l JOIN keyed AS k ON k.dataset = l.dataset AND k.row_id = l.row_id
