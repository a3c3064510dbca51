-- Design rule 9: stretches on which an edge is believed and an end of it is not. They are kept, hidden from as-of queries, and
-- reported. Input: the query of integrity/derive_uncovered.sql over all open edges.
WITH uncovered AS (
{query}
)
SELECT dataset, subject || ' ' || predicate || ' ' || object || ': ' || node_id || ' is not believed on ['
       || graph.iso(valid_from) || ', ' || graph.iso(valid_to) || ')' AS key, valid_from, recorded_from
FROM uncovered
