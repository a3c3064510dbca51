-- Grain: one believed segment and one statement that justifies it: same key, same value, overlapping claim. Input: rows_wanted, candidates.
WITH asserted AS (
    SELECT key, value_hash, coalesce(object, '') AS object, valid_from, claim_to, statement_id FROM candidates WHERE polarity = 'assert'
), rows_of AS (
    SELECT *, coalesce(object, '') AS object_key FROM rows_wanted
)
SELECT DISTINCT g.dataset AS dataset, g.kind AS kind, g.row_id AS row_id, g.content_hash AS content_hash,
       c.statement_id AS statement_id, g.key_at AS key_at
FROM rows_of AS g
JOIN asserted AS c ON c.key = g.key AND c.value_hash = g.value_hash AND c.object = g.object_key
    AND c.valid_from < g.valid_to AND g.valid_from < c.claim_to
