-- Grain: one ref whose node changes because of an identifying key. Input: members, split_components, mapping.
-- The node known longest stays; nobody becomes a new node by a second key.
WITH merged AS (
    SELECT m.* FROM members AS m
    LEFT JOIN (SELECT DISTINCT dataset, component FROM split_components) AS s ON s.dataset = m.dataset AND s.component = m.component
    WHERE s.component IS NULL
), chosen AS (
    SELECT dataset, component, node AS node_id, row_number() OVER (PARTITION BY dataset, component
           ORDER BY since NULLS LAST, is_primary DESC, node) AS place
    FROM merged
), dissolved AS (
    SELECT DISTINCT m.dataset, m.node, c.node_id FROM merged AS m
    JOIN chosen AS c ON c.dataset = m.dataset AND c.component = m.component AND c.place = 1
), followers AS (
    SELECT m.dataset AS dataset, m.ref AS ref, d.node_id AS node_id FROM mapping AS m
    JOIN dissolved AS d ON d.dataset = m.dataset AND d.node = m.node_id
    UNION
    SELECT m.dataset, m.ref, c.node_id FROM merged AS m
    JOIN chosen AS c ON c.dataset = m.dataset AND c.component = m.component AND c.place = 1
    UNION
    SELECT dataset, node, node_id FROM dissolved
)
SELECT f.dataset AS dataset, f.ref AS ref, f.node_id AS node_id, 'key' AS method, 1.0 AS score,
       'shares an identifying key with ' || f.node_id AS reason
FROM followers AS f
LEFT JOIN mapping AS m ON m.dataset = f.dataset AND m.ref = f.ref
WHERE coalesce(m.node_id, f.ref) <> f.node_id
