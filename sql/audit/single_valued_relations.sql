-- Design rule 8: a single-valued relation has one object at a time, among what is believed now and asserted.
WITH single_valued AS (
    SELECT DISTINCT dataset, predicate FROM graph.ontology_properties WHERE single_valued
), in_order AS (
    SELECT e.dataset, e.subject, e.predicate, e.valid_from, e.recorded_from,
           max(e.valid_to) OVER (PARTITION BY e.dataset, e.subject, e.predicate ORDER BY e.valid_from, e.object
                                 ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS earlier_to
    FROM graph.edges_open AS e
    JOIN single_valued AS p ON p.dataset = e.dataset AND p.predicate = e.predicate WHERE e.origin = 'asserted'
)
SELECT dataset, subject || ' ' || predicate AS key, valid_from, recorded_from FROM in_order WHERE earlier_to > valid_from
