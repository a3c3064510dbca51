-- Grain: one touched key with the transaction time of its change, for a recorded source (design section 4, rule 5): the source's
-- own time, or the store's clock where the key meets another source or was changed later already. Input: keys, keyed_history, rules.
WITH statements_of AS (
    SELECT h.dataset, h.kind, h.k1, h.k2, h.k3, bool_or(h.source <> $source) AS met,
           max(CASE WHEN h.recorded_to < 'infinity' THEN h.recorded_to ELSE h.recorded_from END) AS latest
    FROM keyed_history AS h GROUP BY h.dataset, h.kind, h.k1, h.k2, h.k3
), node_keys AS (
    SELECT * FROM keys WHERE kind = 'node'
), edge_keys AS (
    SELECT * FROM keys WHERE kind = 'edge'
), keyed_edges AS (
    SELECT e.dataset, e.subject, e.predicate, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END AS k3, e.recorded_from,
           e.recorded_to
    FROM graph.edges AS e LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
), believed AS (
    SELECT k.key, n.recorded_from, n.recorded_to FROM graph.nodes AS n
    JOIN node_keys AS k ON k.dataset = n.dataset AND k.k1 = n.node_id AND k.k2 = n.facet
    UNION ALL
    SELECT k.key, e.recorded_from, e.recorded_to FROM keyed_edges AS e
    JOIN edge_keys AS k ON k.dataset = e.dataset AND k.k1 = e.subject AND k.k2 = e.predicate AND k.k3 = e.k3
), rows_of AS (
    SELECT key, max(CASE WHEN recorded_to < 'infinity' THEN recorded_to ELSE recorded_from END) AS latest FROM believed GROUP BY key
), judged AS (
    SELECT k.*, coalesce(s.met, FALSE) OR coalesce(s.latest >= CAST($recorded_at AS TIMESTAMPTZ), FALSE)
                OR coalesce(b.latest >= CAST($recorded_at AS TIMESTAMPTZ), FALSE) AS met
    FROM keys AS k
    LEFT JOIN statements_of AS s ON s.dataset = k.dataset AND s.kind = k.kind AND s.k1 = k.k1 AND s.k2 = k.k2 AND s.k3 = k.k3
    LEFT JOIN rows_of AS b ON b.key = k.key
)
SELECT key, dataset, kind, k1, k2, k3, hull_from, hull_to, by_event, logged, hot, whole,
       CASE WHEN met THEN CAST($store_now AS TIMESTAMPTZ) ELSE CAST($recorded_at AS TIMESTAMPTZ) END AS key_at, met
FROM judged
