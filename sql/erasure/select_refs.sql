-- Grain: one ref of the entity that $id is, or stands for now: its node, and everything that was merged into it.
-- Input: graph.identities. Parameters: $dataset, $id.
WITH live AS (
    SELECT ref, node_id FROM graph.identities WHERE dataset = $dataset AND recorded_to = 'infinity'
), node AS (
    SELECT coalesce(max(l.node_id), $id) AS node_id FROM live AS l WHERE l.ref = $id
)
SELECT $id AS ref
UNION SELECT n.node_id FROM node AS n
UNION SELECT l.ref FROM live AS l JOIN node AS n ON n.node_id = l.node_id
