-- Grain: one row of {staged} of which neither ref, {ref} nor {other}, is erased. Inputs: {staged}, graph.tombstones.
-- Parameters: $dataset, $secret.
WITH named AS (
    SELECT {ref} AS id FROM {staged} UNION SELECT {other} FROM {staged}
), hashed AS (
    SELECT n.id, token_of($secret, 'entity', n.id) AS token FROM named AS n WHERE n.id IS NOT NULL
), mine AS (
    SELECT token FROM graph.tombstones WHERE dataset = $dataset AND kind = 'entity'
), erased AS (
    SELECT h.id FROM hashed AS h JOIN mine AS t ON t.token = h.token
)
SELECT s.* FROM {staged} AS s
LEFT JOIN erased AS a ON a.id = s.{ref}
LEFT JOIN erased AS b ON b.id = s.{other}
WHERE a.id IS NULL AND b.id IS NULL
