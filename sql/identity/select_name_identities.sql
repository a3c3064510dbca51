-- Grain: one ref from text that has the exact normalised name of exactly one structured thing of a compatible class (design section 8).
-- Input: name_refs, graph.statements, named_arrivals, mapping, graph.ontology_classes, the function normalise_name.
WITH structured AS (
    SELECT dataset, subject, predicate, value ->> 'label' AS label FROM graph.statements
    WHERE kind = 'node' AND facet <> 'text' AND recorded_to = 'infinity'
    UNION
    SELECT dataset, subject, predicate, label FROM named_arrivals WHERE facet <> 'text'
), targets AS (
    SELECT DISTINCT s.dataset AS dataset, coalesce(m.node_id, s.subject) AS node_id, s.predicate AS class, normalise_name(s.label) AS name
    FROM structured AS s LEFT JOIN mapping AS m ON m.dataset = s.dataset AND m.ref = s.subject
    WHERE s.label IS NOT NULL
), compatible AS (
    SELECT dataset, class, ancestor FROM graph.ontology_classes
    UNION SELECT dataset, ancestor, class FROM graph.ontology_classes
), matches AS (
    SELECT DISTINCT r.dataset, r.ref, t.node_id
    FROM (SELECT *, normalise_name(label) AS name FROM name_refs) AS r
    JOIN targets AS t ON t.dataset = r.dataset AND t.name = r.name
    JOIN compatible AS c ON c.dataset = r.dataset AND c.class = r.class AND c.ancestor = t.class
    WHERE r.name <> ''
)
SELECT dataset, ref, min(node_id) AS node_id, 'exact_name' AS method, 1.0 AS score,
       'same normalised name and compatible class as ' || min(node_id) AS reason
FROM matches WHERE ref <> node_id GROUP BY dataset, ref HAVING count(DISTINCT node_id) = 1
