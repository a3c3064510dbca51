-- Grain: one claim of an erased statement, or on a row of the erased entity. Inputs: erased_rows, erased_statements.
DELETE FROM graph.claims AS c WHERE c.dataset = $dataset
   AND (EXISTS (SELECT 1 FROM erased_rows AS r WHERE r.kind = c.kind AND r.row_id = c.row_id)
        OR EXISTS (SELECT 1 FROM erased_statements AS s WHERE s.statement_id = c.statement_id))
