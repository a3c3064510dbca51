-- Grain: one live statement that a batch makes again after, or together with, something else about its key. All that a batch says of such
-- a key is observed anew, so that the old row ends and a new one begins. Input: again, keyed_again, keyed_history, keyed_arrivals.
WITH latest AS (
    SELECT dataset, kind, k1, k2, k3, max(recorded_from) AS recorded_from FROM keyed_history WHERE recorded_to = 'infinity'
    GROUP BY dataset, kind, k1, k2, k3
), renewed AS (
    SELECT k.dataset, k.kind, k.k1, k.k2, k.k3
    FROM keyed_again AS k
    JOIN latest AS l ON l.dataset = k.dataset AND l.kind = k.kind AND l.k1 = k.k1 AND l.k2 = k.k2 AND l.k3 = k.k3
    WHERE l.recorded_from > k.recorded_from
    UNION
    SELECT dataset, kind, k1, k2, k3 FROM keyed_arrivals
)
SELECT a.* FROM again AS a
JOIN keyed_again AS k ON k.dataset = a.dataset AND k.statement_id = a.statement_id
JOIN renewed AS r ON r.dataset = k.dataset AND r.kind = k.kind AND r.k1 = k.k1 AND r.k2 = k.k2 AND r.k3 = k.k3
