-- Grain: one open claim of an affected statement on an asserted row. Input: affected, graph.claims.
WITH live AS (
    SELECT * FROM graph.claims WHERE recorded_to = 'infinity' AND facet <> 'inferred'
)
SELECT l.dataset AS dataset, l.kind AS kind, l.row_id AS row_id, l.facet AS facet, l.value_hash AS value_hash,
       l.statement_id AS statement_id, l.valid_from AS valid_from, l.valid_to AS valid_to, a.key_at AS key_at
FROM live AS l JOIN affected AS a ON a.statement_id = l.statement_id AND a.dataset = l.dataset
