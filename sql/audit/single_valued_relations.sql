-- Design rule 8: a single-valued relation has one object at a time, among what is believed now.
SELECT a.dataset, a.subject || ' ' || a.predicate AS key, a.valid_from, a.recorded_from
FROM graph.edges_open AS a
JOIN graph.edges_open AS b ON b.dataset = a.dataset AND b.subject = a.subject AND b.predicate = a.predicate
 AND a.valid_from < b.valid_to AND b.valid_from < a.valid_to
JOIN graph.ontology_properties AS p ON p.dataset = a.dataset AND p.predicate = a.predicate
WHERE p.single_valued AND a.origin = 'asserted' AND b.origin = 'asserted' AND a.object < b.object
