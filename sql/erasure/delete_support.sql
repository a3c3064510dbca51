-- Grain: one row of graph.support that says what an erased statement, or a row of the erased entity, justifies.
-- Inputs: erased_rows, erased_statements.
DELETE FROM graph.support AS u WHERE u.dataset = $dataset
   AND (EXISTS (SELECT 1 FROM erased_rows AS r WHERE r.kind = u.kind AND r.row_id = u.row_id)
        OR EXISTS (SELECT 1 FROM erased_statements AS s WHERE s.statement_id = u.statement_id))
