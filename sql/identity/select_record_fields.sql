-- Grain: one thing that a node is called (kind name, or alias where a property says so), that is said of it (value), or that it is related to (ref; > from it, < to it), as
-- believed now about any time. Names are those of all refs that stand for the node, and what the alias properties say.
-- Inputs: graph.statements, graph.nodes_open, graph.edges_open, mapping. Parameters: $dataset, $aliases, $fanout, $longest.
WITH nodes AS (
    SELECT DISTINCT node_id FROM graph.nodes_open WHERE dataset = $dataset
), labels AS (
    SELECT DISTINCT coalesce(m.node_id, s.subject) AS record, s.value ->> 'label' AS value
    FROM graph.statements AS s LEFT JOIN mapping AS m ON m.dataset = s.dataset AND m.ref = s.subject
    WHERE s.dataset = $dataset AND s.kind = 'node' AND s.recorded_to = 'infinity'
), properties AS (
    SELECT n.node_id AS record, p.key AS field, p.value AS value, p.type AS type
    FROM graph.nodes_open AS n CROSS JOIN json_each(n.properties) AS p WHERE n.dataset = $dataset
), members AS (
    SELECT p.record AS record, p.field AS field, i.value AS value, i.type AS type
    FROM (SELECT record, field, CAST(value AS VARCHAR) AS value FROM properties WHERE type = 'ARRAY') AS p CROSS JOIN json_each(p.value) AS i
    UNION ALL
    SELECT record, field, value, type FROM properties WHERE type <> 'ARRAY'
), said AS (
    SELECT DISTINCT record, field, value ->> '$' AS value FROM members WHERE type NOT IN ('NULL', 'OBJECT', 'ARRAY')
), related AS (
    SELECT subject AS record, '>' || predicate AS field, object AS value FROM graph.edges_open WHERE dataset = $dataset AND origin = 'asserted'
    UNION
    SELECT object, '<' || predicate, subject FROM graph.edges_open WHERE dataset = $dataset AND origin = 'asserted'
), few AS (
    SELECT record, field FROM related GROUP BY record, field HAVING count(*) <= $fanout
)
SELECT l.record AS record, 'name' AS field, 'name' AS kind, l.value AS value FROM labels AS l JOIN nodes AS n ON n.node_id = l.record
WHERE l.value IS NOT NULL
UNION
SELECT record, 'name', 'alias', value FROM said WHERE list_contains($aliases, field)
UNION
SELECT record, field, 'value', value FROM said WHERE NOT list_contains($aliases, field) AND length(value) <= $longest
UNION
SELECT r.record, r.field, 'ref', r.value FROM related AS r
JOIN few AS f ON f.record = r.record AND f.field = r.field
JOIN nodes AS n ON n.node_id = r.record
