-- Grain: one edge row of a key to be derived again, or inferred from one, brought back to what it was before $first: rows recorded
-- since then go, rows closed since then are open. Input: rewound.
DELETE FROM graph.edges_open AS t USING (SELECT row_id, facet = 'inferred' AS inferred FROM rewound WHERE kind = 'edge') AS r
WHERE t.dataset = $dataset AND r.row_id = t.edge_id AND r.inferred = (t.origin = 'inferred')
  AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
INSERT INTO graph.edges_open BY NAME
SELECT t.* EXCLUDE (recorded_to) FROM graph.edges_closed AS t
JOIN (SELECT row_id, facet = 'inferred' AS inferred FROM rewound WHERE kind = 'edge') AS r
  ON r.row_id = t.edge_id AND r.inferred = (t.origin = 'inferred')
WHERE t.dataset = $dataset AND t.recorded_from < CAST($first AS TIMESTAMPTZ) AND t.recorded_to >= CAST($first AS TIMESTAMPTZ);
DELETE FROM graph.edges_closed AS t USING (SELECT row_id, facet = 'inferred' AS inferred FROM rewound WHERE kind = 'edge') AS r
WHERE t.dataset = $dataset AND r.row_id = t.edge_id AND r.inferred = (t.origin = 'inferred')
  AND t.recorded_to >= CAST($first AS TIMESTAMPTZ);
