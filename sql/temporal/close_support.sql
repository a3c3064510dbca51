-- Grain: one support row that ends now. Input: {closed}.
UPDATE graph.support AS u SET recorded_to = c.key_at FROM {closed} AS c
WHERE c.dataset = u.dataset AND c.row_id = u.row_id AND c.content_hash = u.content_hash AND c.statement_id = u.statement_id
  AND u.recorded_to = 'infinity'
