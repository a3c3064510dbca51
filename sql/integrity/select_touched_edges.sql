-- Grain: one open edge row whose ends a commit may have left uncovered. Input: rows_opened, rows_closed, graph.edges_open.
-- Those it opened, and those at a node of which it closed a row; a row that is opened covers more, never less.
WITH losing AS (
    SELECT DISTINCT dataset, row_id AS node_id FROM rows_closed WHERE kind = 'node'
)
SELECT dataset, row_id AS edge_id, subject, predicate, object, valid_from, valid_to, key_at AS recorded_from
FROM rows_opened WHERE kind = 'edge'
UNION
SELECT e.dataset, e.edge_id, e.subject, e.predicate, e.object, e.valid_from, e.valid_to, e.recorded_from
FROM graph.edges_open AS e JOIN losing AS l ON l.dataset = e.dataset AND l.node_id = e.subject
UNION
SELECT e.dataset, e.edge_id, e.subject, e.predicate, e.object, e.valid_from, e.valid_to, e.recorded_from
FROM graph.edges_open AS e JOIN losing AS l ON l.dataset = e.dataset AND l.node_id = e.object
