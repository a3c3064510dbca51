-- Grain: one erased row of the log. Input: erased_statements.
DELETE FROM graph.statements AS s USING erased_statements AS e
WHERE e.dataset = s.dataset AND e.statement_id = s.statement_id AND e.recorded_from = s.recorded_from
