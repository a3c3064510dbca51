-- Grain: one row of the log, as it was before $first. Input: replayed_statements.
DELETE FROM graph.statements AS t USING replayed_statements AS r
WHERE r.dataset = t.dataset AND r.statement_id = t.statement_id AND r.recorded_from = t.recorded_from AND t.recorded_from >= CAST($first AS TIMESTAMPTZ);
UPDATE graph.statements AS t SET recorded_to = 'infinity' FROM replayed_statements AS r
WHERE r.dataset = t.dataset AND r.statement_id = t.statement_id AND r.recorded_from = t.recorded_from;
