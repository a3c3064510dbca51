-- Grain: one live statement that a batch makes again, as in select_restated (restated): and those of relations that exclude each other, where
-- anything was said of the same two things after it, or together with it. Input: restated, again, keyed_again, keyed_arrivals,
-- keyed_pair_statements, exclusions.
WITH excluding AS (
    SELECT DISTINCT dataset, predicate FROM exclusions
), latest AS (
    SELECT k.dataset, least(k.k1, k.k3) AS a, greatest(k.k1, k.k3) AS b, max(k.recorded_from) AS recorded_from
    FROM keyed_pair_statements AS k WHERE k.recorded_to = 'infinity' GROUP BY k.dataset, least(k.k1, k.k3), greatest(k.k1, k.k3)
), said_again AS (
    SELECT k.dataset, k.statement_id, k.recorded_from, least(k.k1, k.k3) AS a, greatest(k.k1, k.k3) AS b
    FROM keyed_again AS k JOIN excluding AS x ON x.dataset = k.dataset AND x.predicate = k.k2 WHERE k.kind = 'edge'
), renewed AS (
    SELECT s.dataset, s.a, s.b FROM said_again AS s JOIN latest AS l ON l.dataset = s.dataset AND l.a = s.a AND l.b = s.b
    WHERE l.recorded_from > s.recorded_from
    UNION
    SELECT k.dataset, least(k.k1, k.k3), greatest(k.k1, k.k3)
    FROM keyed_arrivals AS k JOIN excluding AS x ON x.dataset = k.dataset AND x.predicate = k.k2 WHERE k.kind = 'edge'
)
SELECT * FROM restated
UNION
SELECT a.* FROM again AS a
JOIN said_again AS s ON s.dataset = a.dataset AND s.statement_id = a.statement_id
JOIN renewed AS r ON r.dataset = s.dataset AND r.a = s.a AND r.b = s.b
