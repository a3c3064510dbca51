-- Grain: one key whose belief must be derived again, numbered: those that changed, and those of the pairs of things of which one did. All
-- keys of such a pair are derived whole, because a change of one moves what others claim. Input: changed_keys, pairs, keyed_pair_statements.
WITH found AS (
    SELECT dataset, kind, k1, k2, k3 FROM changed_keys
    UNION
    SELECT k.dataset, k.kind, k.k1, k.k2, k.k3 FROM keyed_pair_statements AS k
), excluding AS (
    SELECT DISTINCT dataset, predicate FROM exclusions
), whole AS (
    SELECT f.dataset, f.kind, f.k1, f.k2, f.k3 FROM found AS f
    JOIN excluding AS x ON x.dataset = f.dataset AND x.predicate = f.k2
    JOIN pairs AS p ON p.dataset = f.dataset AND p.a = least(f.k1, f.k3) AND p.b = greatest(f.k1, f.k3)
    WHERE f.kind = 'edge'
), keys AS (
    SELECT c.dataset, c.kind, c.k1, c.k2, c.k3, c.hull_from, c.hull_to, c.by_event, c.logged, c.hot, FALSE AS whole FROM changed_keys AS c
    LEFT JOIN whole AS w ON w.dataset = c.dataset AND w.kind = c.kind AND w.k1 = c.k1 AND w.k2 = c.k2 AND w.k3 = c.k3
    WHERE w.kind IS NULL
    UNION ALL
    SELECT dataset, kind, k1, k2, k3, CAST('-infinity' AS TIMESTAMPTZ), CAST('infinity' AS TIMESTAMPTZ), TRUE, TRUE, TRUE, TRUE FROM whole
)
SELECT row_number() OVER () AS key, k.* FROM keys AS k
