-- Grain: one relation whose asserted rows or their support changed in this commit, and that may imply or hide another.
-- Input: rows_closed, rows_opened, rows_wanted, support_closed, support_opened, graph.ontology_implications, changed_implications.
WITH implications AS (
    SELECT dataset, predicate, implied FROM graph.ontology_implications
    UNION SELECT dataset, predicate, implied FROM graph.applied_implications
), concerned AS (
    SELECT dataset, predicate FROM implications UNION SELECT dataset, implied FROM implications
), supported AS (
    SELECT dataset, row_id, content_hash FROM support_closed
    UNION SELECT dataset, row_id, content_hash FROM support_opened
), relations AS (
    SELECT dataset, subject, predicate, object, key_at FROM rows_closed WHERE kind = 'edge'
    UNION ALL
    SELECT dataset, subject, predicate, object, key_at FROM rows_opened WHERE kind = 'edge'
    UNION ALL
    SELECT w.dataset, w.subject, w.predicate, w.object, w.key_at FROM rows_wanted AS w
    JOIN supported AS s ON s.dataset = w.dataset AND s.row_id = w.row_id AND s.content_hash = w.content_hash
    WHERE w.kind = 'edge'
    UNION ALL
    SELECT e.dataset, e.subject, e.predicate, e.object, CAST($store_now AS TIMESTAMPTZ)
    FROM graph.edges_open AS e JOIN changed_implications AS i ON i.dataset = e.dataset AND i.predicate = e.predicate
    WHERE e.origin = 'asserted'
)
SELECT r.dataset AS dataset, r.subject AS subject, r.predicate AS predicate, r.object AS object, max(r.key_at) AS key_at
FROM relations AS r JOIN concerned AS c ON c.dataset = r.dataset AND c.predicate = r.predicate
GROUP BY r.dataset, r.subject, r.predicate, r.object
