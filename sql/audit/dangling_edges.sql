-- Design rule 9: open edges of which an end is not believed at all. They are kept, hidden from as-of queries, and reported.
WITH known AS (
    SELECT DISTINCT dataset, node_id FROM graph.nodes_open
)
SELECT e.dataset, e.subject || ' ' || e.predicate || ' ' || e.object AS key, e.valid_from, e.recorded_from
FROM graph.edges_open AS e
LEFT JOIN known AS s ON s.dataset = e.dataset AND s.node_id = e.subject
LEFT JOIN known AS o ON o.dataset = e.dataset AND o.node_id = e.object
WHERE s.node_id IS NULL OR o.node_id IS NULL
