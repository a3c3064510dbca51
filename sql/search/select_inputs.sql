-- Grain: one row per input table of the index: its name, row count and an order-independent hash of its rows.
SELECT 'nodes_open' AS name, count(*) AS rows, coalesce(sum(hash(t)), 0)::VARCHAR AS hash FROM graph.nodes_open AS t
UNION ALL SELECT 'nodes_closed', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.nodes_closed AS t
UNION ALL SELECT 'edges_open', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.edges_open AS t
UNION ALL SELECT 'edges_closed', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.edges_closed AS t
UNION ALL SELECT 'claims', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.claims AS t
UNION ALL SELECT 'chunks', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.chunks AS t
UNION ALL SELECT 'documents', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.documents AS t
UNION ALL SELECT 'community_reports', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.community_reports AS t
UNION ALL SELECT 'ontology_classes', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.ontology_classes AS t
UNION ALL SELECT 'ontology_properties', count(*), coalesce(sum(hash(t)), 0)::VARCHAR FROM graph.ontology_properties AS t
ORDER BY name;
