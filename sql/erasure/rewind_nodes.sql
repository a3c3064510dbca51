-- Grain: one node row of a key to be derived again, brought back to what it was before $first: rows recorded since then go, rows
-- closed since then are open. Input: rewound.
DELETE FROM graph.nodes_open AS t USING (SELECT DISTINCT row_id, facet FROM rewound WHERE kind = 'node') AS r
WHERE t.dataset = $dataset AND r.row_id = t.node_id AND r.facet = t.facet AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
INSERT INTO graph.nodes_open BY NAME
SELECT t.* EXCLUDE (recorded_to) FROM graph.nodes_closed AS t
JOIN (SELECT DISTINCT row_id, facet FROM rewound WHERE kind = 'node') AS r ON r.row_id = t.node_id AND r.facet = t.facet
WHERE t.dataset = $dataset AND t.recorded_from < CAST($first AS TIMESTAMPTZ) AND t.recorded_to >= CAST($first AS TIMESTAMPTZ);
DELETE FROM graph.nodes_closed AS t USING (SELECT DISTINCT row_id, facet FROM rewound WHERE kind = 'node') AS r
WHERE t.dataset = $dataset AND r.row_id = t.node_id AND r.facet = t.facet AND t.recorded_to >= CAST($first AS TIMESTAMPTZ);
