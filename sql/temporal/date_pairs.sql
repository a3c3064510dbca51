-- Grain: one touched key with the transaction time of its change, when a recorded source speaks: relations that exclude each other change at
-- one time, the store's where one of them must. Input: dated_keys, keyed_history, exclusions.
WITH excluding AS (
    SELECT DISTINCT dataset, predicate FROM exclusions
), paired AS (
    SELECT d.key, d.dataset, least(d.k1, d.k3) AS a, greatest(d.k1, d.k3) AS b, d.met
    FROM dated_keys AS d JOIN excluding AS x ON x.dataset = d.dataset AND x.predicate = d.k2 WHERE d.kind = 'edge'
), judged AS (
    SELECT dataset, a, b, bool_or(met) AS met FROM paired GROUP BY dataset, a, b
), late AS (
    SELECT p.key FROM paired AS p JOIN judged AS j ON j.dataset = p.dataset AND j.a = p.a AND j.b = p.b WHERE j.met
)
SELECT d.key AS key, d.dataset AS dataset, d.kind AS kind, d.k1 AS k1, d.k2 AS k2, d.k3 AS k3, d.hull_from AS hull_from, d.hull_to AS hull_to,
       d.by_event AS by_event, d.logged AS logged, d.hot AS hot, d.whole AS whole,
       CASE WHEN l.key IS NULL THEN d.key_at ELSE CAST($store_now AS TIMESTAMPTZ) END AS key_at, d.met OR l.key IS NOT NULL AS met
FROM dated_keys AS d LEFT JOIN late AS l ON l.key = d.key
