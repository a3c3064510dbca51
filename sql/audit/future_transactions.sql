-- Design rule 5: nothing began or ended after the last commit of its dataset, and a closed row has an end.
WITH last AS (
    SELECT dataset, max(recorded_at) AS instant FROM graph.runs GROUP BY dataset
), dated AS (
    SELECT dataset, node_id || ' ' || facet AS key, valid_from, recorded_from, recorded_from AS latest FROM graph.nodes_open
    UNION ALL SELECT dataset, node_id || ' ' || facet, valid_from, recorded_from, recorded_to FROM graph.nodes_closed
    UNION ALL SELECT dataset, edge_id, valid_from, recorded_from, recorded_from FROM graph.edges_open
    UNION ALL SELECT dataset, edge_id, valid_from, recorded_from, recorded_to FROM graph.edges_closed
    UNION ALL
    SELECT dataset, hex(statement_id), valid_from, recorded_from,
           CASE WHEN recorded_to = 'infinity' THEN recorded_from ELSE recorded_to END FROM graph.statements
    UNION ALL
    SELECT dataset, ref, NULL, recorded_from, CASE WHEN recorded_to = 'infinity' THEN recorded_from ELSE recorded_to END
    FROM graph.identities
    UNION ALL
    SELECT dataset, row_id || ' ' || hex(statement_id), valid_from, recorded_from,
           CASE WHEN recorded_to = 'infinity' THEN recorded_from ELSE recorded_to END FROM graph.claims
    UNION ALL
    SELECT dataset, subject || ' ' || predicate, valid_from, recorded_from,
           CASE WHEN recorded_to = 'infinity' THEN recorded_from ELSE recorded_to END FROM graph.conflicts
)
SELECT d.dataset, d.key, d.valid_from, d.recorded_from FROM dated AS d
LEFT JOIN last AS l ON l.dataset = d.dataset
WHERE l.instant IS NULL OR d.latest > l.instant
