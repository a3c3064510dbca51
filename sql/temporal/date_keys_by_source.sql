-- Grain: one touched key with its number in this commit and the transaction time of its change, for a recorded source (design section 4, rule 5): the source's
-- own time, or the store's clock where the key meets another source or was changed later already. Input: keys, keyed_history, rules.
WITH statements_of AS (
    SELECT h.dataset, h.key_kind, h.k1, h.k2, h.k3, bool_or(h.source <> $source) AS met,
           max(greatest(h.recorded_from, CASE WHEN h.recorded_to < 'infinity' THEN h.recorded_to ELSE h.recorded_from END)) AS latest
    FROM keyed_history AS h GROUP BY h.dataset, h.key_kind, h.k1, h.k2, h.k3
), rows_of AS (
    SELECT n.dataset, 'node' AS key_kind, n.node_id AS k1, n.facet AS k2, '' AS k3, n.recorded_from, n.recorded_to FROM graph.nodes AS n
    UNION ALL
    SELECT e.dataset, 'edge', e.subject, e.predicate, CASE WHEN coalesce(r.single_valued, FALSE) THEN '' ELSE e.object END,
           e.recorded_from, e.recorded_to
    FROM graph.edges AS e LEFT JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate
), believed AS (
    SELECT b.dataset, b.key_kind, b.k1, b.k2, b.k3,
           max(greatest(b.recorded_from, CASE WHEN b.recorded_to < 'infinity' THEN b.recorded_to ELSE b.recorded_from END)) AS latest
    FROM rows_of AS b GROUP BY b.dataset, b.key_kind, b.k1, b.k2, b.k3
), judged AS (
    SELECT k.*, coalesce(s.met, FALSE) OR coalesce(s.latest >= CAST($recorded_at AS TIMESTAMPTZ), FALSE)
                OR coalesce(b.latest >= CAST($recorded_at AS TIMESTAMPTZ), FALSE) AS met
    FROM keys AS k
    LEFT JOIN statements_of AS s ON s.dataset = k.dataset AND s.key_kind = k.key_kind AND s.k1 = k.k1 AND s.k2 = k.k2 AND s.k3 = k.k3
    LEFT JOIN believed AS b ON b.dataset = k.dataset AND b.key_kind = k.key_kind AND b.k1 = k.k1 AND b.k2 = k.k2 AND b.k3 = k.k3
)
SELECT row_number() OVER () AS key, dataset, key_kind, k1, k2, k3,
       CASE WHEN met THEN CAST($store_now AS TIMESTAMPTZ) ELSE CAST($recorded_at AS TIMESTAMPTZ) END AS key_at, met
FROM judged
