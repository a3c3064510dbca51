-- Design rule 8: of relations that exclude each other one holds at a time between the same two things, among what is believed now and
-- asserted. Single-valued relations take no part.
WITH single_valued AS (
    SELECT DISTINCT dataset, predicate FROM graph.ontology_properties WHERE single_valued
), rules AS (
    SELECT x.dataset, x.predicate, x.excluded, x.swapped FROM graph.ontology_exclusions AS x
    LEFT JOIN single_valued AS p ON p.dataset = x.dataset AND p.predicate = x.predicate
    LEFT JOIN single_valued AS e ON e.dataset = x.dataset AND e.predicate = x.excluded
    WHERE p.predicate IS NULL AND e.predicate IS NULL
), asserted AS (
    SELECT dataset, edge_id, subject, predicate, object, valid_from, valid_to, recorded_from FROM graph.edges_open WHERE origin = 'asserted'
), denying AS (
    SELECT a.dataset, a.edge_id, r.excluded, CASE WHEN r.swapped THEN a.object ELSE a.subject END AS subject,
           CASE WHEN r.swapped THEN a.subject ELSE a.object END AS object, a.valid_from, a.valid_to
    FROM asserted AS a JOIN rules AS r ON r.dataset = a.dataset AND r.predicate = a.predicate
)
SELECT a.dataset, a.subject || ' ' || a.predicate || ' ' || a.object AS key, greatest(a.valid_from, d.valid_from) AS valid_from, a.recorded_from
FROM asserted AS a
JOIN denying AS d ON d.dataset = a.dataset AND d.excluded = a.predicate AND d.subject = a.subject AND d.object = a.object
WHERE a.edge_id <> d.edge_id AND a.valid_from < d.valid_to AND d.valid_from < a.valid_to
