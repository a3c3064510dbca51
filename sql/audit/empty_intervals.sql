-- Design rule 4: no row has zero or negative length on either clock. A statement without an end is an event.
SELECT dataset, node_id || ' ' || facet AS key, valid_from, recorded_from FROM graph.nodes
WHERE valid_from >= valid_to OR recorded_from >= recorded_to
UNION ALL
SELECT dataset, edge_id, valid_from, recorded_from FROM graph.edges WHERE valid_from >= valid_to OR recorded_from >= recorded_to
UNION ALL
SELECT dataset, hex(statement_id), valid_from, recorded_from FROM graph.statements
WHERE valid_from >= valid_to OR recorded_from >= recorded_to OR (valid_to IS NULL) <> (mode = 'event')
UNION ALL
SELECT dataset, ref, NULL, recorded_from FROM graph.identities WHERE recorded_from >= recorded_to
UNION ALL
SELECT dataset, subject || ' ' || predicate, valid_from, recorded_from FROM graph.conflicts
WHERE valid_from >= valid_to OR recorded_from >= recorded_to
UNION ALL
SELECT dataset, row_id || ' ' || hex(statement_id), valid_from, recorded_from FROM graph.claims
WHERE valid_from >= valid_to OR recorded_from >= recorded_to
