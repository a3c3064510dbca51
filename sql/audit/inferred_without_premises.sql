-- Design rule 10: an inferred edge that is believed now begins within an asserted edge that implies it. A rule that belief has yet to
-- give up, or has yet to take up, counts. What may follow from two edges is left to unsupported_rows.
WITH rules AS (
    SELECT dataset, predicate, implied, swapped FROM graph.ontology_implications
    UNION SELECT dataset, predicate, implied, swapped FROM graph.applied_implications
), implied AS (
    SELECT e.dataset, r.implied AS predicate, CASE WHEN r.swapped THEN e.object ELSE e.subject END AS subject,
           CASE WHEN r.swapped THEN e.subject ELSE e.object END AS object, e.valid_from, e.valid_to
    FROM graph.edges_open AS e JOIN rules AS r ON r.dataset = e.dataset AND r.predicate = e.predicate WHERE e.origin = 'asserted'
), heads AS (
    SELECT dataset, implied AS predicate FROM graph.ontology_compositions UNION SELECT dataset, implied FROM graph.applied_compositions
), composed AS (
    SELECT dataset, predicate FROM heads
    UNION SELECT r.dataset, r.implied FROM rules AS r JOIN heads AS h ON h.dataset = r.dataset AND h.predicate = r.predicate
), inferred AS (
    SELECT e.* FROM graph.edges_open AS e LEFT JOIN composed AS c ON c.dataset = e.dataset AND c.predicate = e.predicate
    WHERE e.origin = 'inferred' AND c.predicate IS NULL
), premises AS (
    SELECT DISTINCT i.dataset, i.edge_id, i.valid_from FROM inferred AS i
    JOIN implied AS p ON p.dataset = i.dataset AND p.predicate = i.predicate AND p.subject = i.subject AND p.object = i.object
    WHERE p.valid_from <= i.valid_from AND i.valid_from < p.valid_to
)
SELECT i.dataset, i.edge_id AS key, i.valid_from, i.recorded_from FROM inferred AS i
LEFT JOIN premises AS p ON p.dataset = i.dataset AND p.edge_id = i.edge_id AND p.valid_from = i.valid_from
WHERE p.edge_id IS NULL
