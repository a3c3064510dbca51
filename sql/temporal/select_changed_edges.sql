-- Grain: one relation whose asserted rows or claims change in this commit, and that may imply or hide another. Input: rows_closed,
-- rows_opened, keyed_arrivals, keyed_gone, keyed_moved, log, touched, graph.ontology_implications, graph.ontology_compositions
-- and the applied ones, changed_implications.
WITH implications AS (
    SELECT dataset, predicate, implied FROM graph.ontology_implications
    UNION SELECT dataset, predicate, implied FROM graph.applied_implications
), concerned AS (
    SELECT dataset, predicate FROM implications UNION SELECT dataset, implied FROM implications
    UNION SELECT dataset, first FROM graph.ontology_compositions UNION SELECT dataset, second FROM graph.ontology_compositions
    UNION SELECT dataset, implied FROM graph.ontology_compositions UNION SELECT dataset, implied FROM graph.applied_compositions
), spoken AS (
    SELECT dataset, kind, k1, k2, k3, object FROM keyed_arrivals WHERE kind = 'edge'
    UNION ALL
    SELECT dataset, kind, k1, k2, k3, object FROM keyed_gone WHERE kind = 'edge'
    UNION ALL
    SELECT dataset, kind, k1, k2, k3, object FROM keyed_moved WHERE kind = 'edge'
), relations AS (
    SELECT dataset, subject, predicate, object, key_at FROM rows_closed WHERE kind = 'edge'
    UNION ALL
    SELECT dataset, subject, predicate, object, key_at FROM rows_opened WHERE kind = 'edge'
    UNION ALL
    SELECT s.dataset, s.k1, s.k2, s.object, t.key_at FROM spoken AS s
    JOIN touched AS t ON t.dataset = s.dataset AND t.kind = s.kind AND t.k1 = s.k1 AND t.k2 = s.k2 AND t.k3 = s.k3
    WHERE s.object IS NOT NULL
    UNION ALL
    SELECT t.dataset, t.k1, t.k2, l.object, t.key_at FROM log AS l JOIN touched AS t ON t.key = l.key
    WHERE l.is_event AND t.by_event AND t.kind = 'edge' AND l.object IS NOT NULL
    UNION ALL
    SELECT e.dataset, e.subject, e.predicate, e.object, CAST($store_now AS TIMESTAMPTZ)
    FROM graph.edges_open AS e JOIN changed_implications AS i ON i.dataset = e.dataset AND i.predicate = e.predicate
    WHERE e.origin = 'asserted'
)
SELECT r.dataset AS dataset, r.subject AS subject, r.predicate AS predicate, r.object AS object, max(r.key_at) AS key_at
FROM relations AS r JOIN concerned AS c ON c.dataset = r.dataset AND c.predicate = r.predicate
GROUP BY r.dataset, r.subject, r.predicate, r.object
