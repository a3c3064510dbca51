-- Grain: one statement of the log whose claim may change: it left a key, came to it, or is an event of a key that got or lost one.
-- Input: keyed_gone, keyed_moved, log, touched.
WITH touching AS (
    SELECT g.statement_id, t.key, t.key_at, t.dataset FROM keyed_gone AS g
    JOIN touched AS t ON t.dataset = g.dataset AND t.kind = g.kind AND t.k1 = g.k1 AND t.k2 = g.k2 AND t.k3 = g.k3
    UNION ALL
    SELECT g.statement_id, t.key, t.key_at, t.dataset FROM keyed_moved AS g
    JOIN touched AS t ON t.dataset = g.dataset AND t.kind = g.kind AND t.k1 = g.k1 AND t.k2 = g.k2 AND t.k3 = g.k3
    UNION ALL
    SELECT l.statement_id, t.key, t.key_at, t.dataset FROM log AS l JOIN touched AS t ON t.key = l.key WHERE l.is_event AND t.by_event
)
SELECT dataset, statement_id, max(key_at) AS key_at FROM touching GROUP BY dataset, statement_id
