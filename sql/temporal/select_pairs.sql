-- Grain: two things, in order, of which {keys} name a relation that excludes another. Input: {keys}, exclusions.
WITH excluding AS (
    SELECT DISTINCT dataset, predicate FROM exclusions
)
SELECT DISTINCT k.dataset AS dataset, least(k.k1, k.k3) AS a, greatest(k.k1, k.k3) AS b
FROM {keys} AS k JOIN excluding AS x ON x.dataset = k.dataset AND x.predicate = k.k2
WHERE k.kind = 'edge'
