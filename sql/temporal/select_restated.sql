-- Grain: one live statement that a batch makes again after something else was said of its key, which the batch does not say: it is
-- observed anew, so its old row ends and a new one begins. Input: again, keyed_again, keyed_history, normalised, known.
WITH said AS (
    SELECT DISTINCT n.dataset, n.statement_id FROM known AS k JOIN normalised AS n ON n.number = k.number
), others AS (
    SELECT h.dataset, h.kind, h.k1, h.k2, h.k3, max(h.recorded_from) AS recorded_from
    FROM keyed_history AS h LEFT JOIN said AS s ON s.dataset = h.dataset AND s.statement_id = h.statement_id
    WHERE h.recorded_to = 'infinity' AND s.statement_id IS NULL
    GROUP BY h.dataset, h.kind, h.k1, h.k2, h.k3
), followed AS (
    SELECT k.dataset, k.statement_id
    FROM keyed_again AS k
    JOIN others AS o ON o.dataset = k.dataset AND o.kind = k.kind AND o.k1 = k.k1 AND o.k2 = k.k2 AND o.k3 = k.k3
    WHERE o.recorded_from > k.recorded_from
)
SELECT a.* FROM again AS a JOIN followed AS f ON f.dataset = a.dataset AND f.statement_id = a.statement_id
