-- Design rule 12: what is believed now speaks of nodes, not of refs that stand for another node.
WITH aliases AS (
    SELECT DISTINCT dataset, ref FROM graph.identities WHERE recorded_to = 'infinity' AND ref <> node_id
)
SELECT n.dataset, n.node_id AS key, n.valid_from, n.recorded_from
FROM graph.nodes_open AS n JOIN aliases AS a ON a.dataset = n.dataset AND a.ref = n.node_id
UNION ALL
SELECT e.dataset, e.edge_id || ' ' || e.subject, e.valid_from, e.recorded_from
FROM graph.edges_open AS e JOIN aliases AS a ON a.dataset = e.dataset AND a.ref = e.subject
UNION ALL
SELECT e.dataset, e.edge_id || ' ' || e.object, e.valid_from, e.recorded_from
FROM graph.edges_open AS e JOIN aliases AS a ON a.dataset = e.dataset AND a.ref = e.object
