-- Grain: one edge row of a key to be derived again, brought back to what it was before $first: rows recorded since then go, rows
-- closed since then are open. Input: rewound.
DELETE FROM graph.edges_open AS t USING (SELECT DISTINCT row_id, facet FROM rewound WHERE kind = 'edge') AS r
WHERE t.dataset = $dataset AND r.row_id = t.edge_id AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
INSERT INTO graph.edges_open BY NAME
SELECT t.* EXCLUDE (recorded_to) FROM graph.edges_closed AS t
JOIN (SELECT DISTINCT row_id, facet FROM rewound WHERE kind = 'edge') AS r ON r.row_id = t.edge_id
WHERE t.dataset = $dataset AND t.recorded_from < CAST($first AS TIMESTAMPTZ) AND t.recorded_to >= CAST($first AS TIMESTAMPTZ);
DELETE FROM graph.edges_closed AS t USING (SELECT DISTINCT row_id, facet FROM rewound WHERE kind = 'edge') AS r
WHERE t.dataset = $dataset AND r.row_id = t.edge_id AND t.recorded_to >= CAST($first AS TIMESTAMPTZ);
