-- Grain: one row for each facet of an entity and each relation that differs between two points of both clocks, with a text for
-- people (a label, or the fact, else its ends and what joins them) and the number of each change in all.
-- Inputs: graph.diff_between, graph.nodes.
-- Parameters: $valid_a, $known_a, $valid_b, $known_b (instants as text), $id (an entity or a relation, NULL: all).
WITH differing AS (
    SELECT * FROM graph.diff_between($valid_a, $known_a, $valid_b, $known_b) AS d
    WHERE $id IS NULL OR d.id = $id OR d.subject = $id OR d.object = $id
), named AS (
    SELECT n.dataset, n.node_id, min(n.label) AS label FROM graph.nodes AS n
    SEMI JOIN (
        SELECT dataset, subject AS node_id FROM differing UNION SELECT dataset, object FROM differing UNION SELECT dataset, id FROM differing
    ) AS e
      ON e.dataset = n.dataset AND e.node_id = n.node_id
    GROUP BY n.dataset, n.node_id
)
SELECT d.change, d.dataset, d.kind, d.id, d.facet, d.subject, d.predicate, d.object,
       CASE d.kind
           WHEN 'node' THEN coalesce(d.after ->> 'label', d.before ->> 'label', i.label)
           ELSE coalesce(nullif(d.after ->> 'fact', ''), nullif(d.before ->> 'fact', ''),
                         concat_ws(' ', coalesce(s.label, d.subject), regexp_extract(d.predicate, '[^/#:]*$'),
                                   coalesce(o.label, d.object)))
       END AS text,
       d.before, d.after,
       count(*) FILTER (d.change = 'added') OVER () AS added, count(*) FILTER (d.change = 'removed') OVER () AS removed,
       count(*) FILTER (d.change = 'changed') OVER () AS changed
FROM differing AS d
LEFT JOIN named AS i ON i.dataset = d.dataset AND i.node_id = d.id
LEFT JOIN named AS s ON s.dataset = d.dataset AND s.node_id = d.subject
LEFT JOIN named AS o ON o.dataset = d.dataset AND o.node_id = d.object
ORDER BY d.dataset, d.kind DESC, d.id, d.facet
