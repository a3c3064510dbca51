-- Design rule 12: what is believed now speaks of nodes, not of refs that stand for another node. A ref for which a user has decided
-- that others stand for it stays a node to them, whatever it stands for itself.
WITH standing AS (
    SELECT dataset, ref, node_id, method FROM graph.identities WHERE recorded_to = 'infinity' AND ref <> node_id
), decided AS (
    SELECT DISTINCT dataset, node_id FROM standing WHERE method = 'manual'
), aliases AS (
    SELECT DISTINCT s.dataset, s.ref FROM standing AS s
    LEFT JOIN decided AS d ON d.dataset = s.dataset AND d.node_id = s.ref WHERE d.node_id IS NULL
)
SELECT n.dataset, n.node_id AS key, n.valid_from, n.recorded_from
FROM graph.nodes_open AS n JOIN aliases AS a ON a.dataset = n.dataset AND a.ref = n.node_id
UNION ALL
SELECT e.dataset, e.edge_id || ' ' || e.subject, e.valid_from, e.recorded_from
FROM graph.edges_open AS e JOIN aliases AS a ON a.dataset = e.dataset AND a.ref = e.subject
UNION ALL
SELECT e.dataset, e.edge_id || ' ' || e.object, e.valid_from, e.recorded_from
FROM graph.edges_open AS e JOIN aliases AS a ON a.dataset = e.dataset AND a.ref = e.object
