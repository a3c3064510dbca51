-- Grain: one claim on a row to be derived again, as it was before $first. Input: rewound.
DELETE FROM graph.claims AS t USING rewound AS r
WHERE t.dataset = $dataset AND r.kind = t.kind AND r.row_id = t.row_id AND r.facet = t.facet
  AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
UPDATE graph.claims AS t SET recorded_to = 'infinity' FROM rewound AS r
WHERE t.dataset = $dataset AND r.kind = t.kind AND r.row_id = t.row_id AND r.facet = t.facet
  AND t.recorded_to >= CAST($first AS TIMESTAMPTZ) AND t.recorded_to < 'infinity';
