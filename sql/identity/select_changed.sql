-- Grain: one node of which something is believed otherwise since the last comparison: of itself, or of its relations.
-- Inputs: graph.nodes, graph.edges. Parameters: $dataset, $since (NULL: never compared).
WITH touched AS (
    SELECT node_id, recorded_from, recorded_to FROM graph.nodes WHERE dataset = $dataset
    UNION ALL
    SELECT subject, recorded_from, recorded_to FROM graph.edges WHERE dataset = $dataset
    UNION ALL
    SELECT object, recorded_from, recorded_to FROM graph.edges WHERE dataset = $dataset
), moved AS (
    SELECT DISTINCT node_id FROM touched
    WHERE CAST($since AS TIMESTAMPTZ) IS NULL OR recorded_from > CAST($since AS TIMESTAMPTZ)
       OR (recorded_to > CAST($since AS TIMESTAMPTZ) AND recorded_to < 'infinity')
)
SELECT DISTINCT n.node_id AS record FROM graph.nodes_open AS n JOIN moved AS m ON m.node_id = n.node_id WHERE n.dataset = $dataset
