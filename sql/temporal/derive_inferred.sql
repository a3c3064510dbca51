-- Grain: one maximal segment of an inferred relation: where a premise holds and the relation itself is not asserted. Input: premises,
-- inferred_keys, graph.edges_open. A sweep over the bounds: count the premises and the assertions that are open.
WITH asserted AS (
    SELECT * FROM graph.edges_open WHERE origin = 'asserted'
), spans AS (
    SELECT dataset, subject, predicate, object, valid_from, valid_to, 1 AS premise, 0 AS assertion FROM premises
    UNION ALL
    SELECT k.dataset, k.subject, k.predicate, k.object, e.valid_from, e.valid_to, 0, 1
    FROM inferred_keys AS k
    JOIN asserted AS e ON e.dataset = k.dataset AND e.subject = k.subject AND e.predicate = k.predicate AND e.object = k.object
), steps AS (
    SELECT dataset, subject, predicate, object, valid_from AS bound, premise, assertion FROM spans
    UNION ALL
    SELECT dataset, subject, predicate, object, valid_to, -premise, -assertion FROM spans
), bounds AS (
    SELECT dataset, subject, predicate, object, bound, sum(premise) AS premise, sum(assertion) AS assertion
    FROM steps GROUP BY dataset, subject, predicate, object, bound
), swept AS (
    SELECT *, sum(premise) OVER so_far AS premises_open, sum(assertion) OVER so_far AS assertions_open,
           lead(bound) OVER (PARTITION BY dataset, subject, predicate, object ORDER BY bound) AS upper
    FROM bounds
    WINDOW so_far AS (PARTITION BY dataset, subject, predicate, object ORDER BY bound ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
), held AS (
    SELECT *, lag(upper) OVER (PARTITION BY dataset, subject, predicate, object ORDER BY bound) AS previous_upper
    FROM swept WHERE premises_open > 0 AND assertions_open = 0 AND upper IS NOT NULL
), runs AS (
    SELECT *, sum(CASE WHEN previous_upper = bound THEN 0 ELSE 1 END) OVER (
        PARTITION BY dataset, subject, predicate, object ORDER BY bound ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run
    FROM held
), segments AS (
    SELECT dataset, subject, predicate, object, run, min(bound) AS valid_from, max(upper) AS valid_to
    FROM runs GROUP BY dataset, subject, predicate, object, run
), trust AS (
    SELECT dataset, subject, predicate, object, max(confidence) AS confidence FROM premises GROUP BY dataset, subject, predicate, object
)
SELECT s.dataset AS dataset, s.subject AS subject, s.predicate AS predicate, s.object AS object, s.valid_from AS valid_from,
       s.valid_to AS valid_to, t.confidence AS confidence, k.key_at AS key_at,
       'urn:stratagraph:edge:' || md5(CAST(to_json([s.dataset, s.subject, s.predicate, s.object]) AS VARCHAR)) AS row_id,
       unhex(left(md5(s.subject), 16) || left(md5(CAST(to_json([s.dataset, 'inferred', s.subject, s.predicate, s.object,
                               coalesce(CAST(epoch_us(s.valid_from) AS VARCHAR), 'begin'),
                               coalesce(CAST(epoch_us(s.valid_to) AS VARCHAR), 'end')]) AS VARCHAR)), 16)) AS content_hash
FROM segments AS s
JOIN inferred_keys AS k ON k.dataset = s.dataset AND k.subject = s.subject AND k.predicate = s.predicate AND k.object = s.object
JOIN trust AS t ON t.dataset = s.dataset AND t.subject = s.subject AND t.predicate = s.predicate AND t.object = s.object
