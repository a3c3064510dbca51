-- Grain: one number of the store's size, by name.
SELECT 'statements_live' AS name, count(*) AS number FROM graph.statements WHERE recorded_to = 'infinity'
UNION ALL SELECT 'statements_all', count(*) FROM graph.statements
UNION ALL SELECT 'nodes_open', count(*) FROM graph.nodes_open
UNION ALL SELECT 'nodes_all', (SELECT count(*) FROM graph.nodes_open) + (SELECT count(*) FROM graph.nodes_closed)
UNION ALL SELECT 'edges_open', count(*) FROM graph.edges_open
UNION ALL SELECT 'edges_all', (SELECT count(*) FROM graph.edges_open) + (SELECT count(*) FROM graph.edges_closed)
UNION ALL SELECT 'edges_inferred', count(*) FROM graph.edges_open WHERE origin = 'inferred'
UNION ALL SELECT 'identities_live', count(*) FROM graph.identities WHERE recorded_to = 'infinity'
UNION ALL SELECT 'conflicts_live', count(*) FROM graph.conflicts WHERE recorded_to = 'infinity'
UNION ALL SELECT 'quarantine', count(*) FROM graph.quarantine
