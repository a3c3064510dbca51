-- Grain: one claim that ends now. Input: {closed}.
UPDATE graph.claims AS c SET recorded_to = e.key_at FROM {closed} AS e
WHERE c.statement_id = e.statement_id AND c.row_id = e.row_id AND c.facet = e.facet AND c.value_hash = e.value_hash
  AND c.valid_from = e.valid_from AND c.valid_to = e.valid_to AND c.dataset = e.dataset AND c.recorded_to = 'infinity'
