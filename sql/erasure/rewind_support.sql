-- Grain: one row of graph.support of a row to be derived again, as it was before $first. Input: rewound.
DELETE FROM graph.support AS t USING rewound AS r
WHERE t.dataset = $dataset AND r.kind = t.kind AND r.row_id = t.row_id AND r.content_hash = t.content_hash
  AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
UPDATE graph.support AS t SET recorded_to = 'infinity' FROM rewound AS r
WHERE t.dataset = $dataset AND r.kind = t.kind AND r.row_id = t.row_id AND r.content_hash = t.content_hash
  AND t.recorded_to >= CAST($first AS TIMESTAMPTZ) AND t.recorded_to < 'infinity';
