-- Grain: one conflict about the erased entity, or of an erased statement. Inputs: erased_refs, erased_statements.
DELETE FROM graph.conflicts AS c WHERE c.dataset = $dataset
   AND (EXISTS (SELECT 1 FROM erased_refs AS r WHERE r.ref IN (c.subject, c.predicate, c.object) OR contains(c.reason, r.ref))
        OR EXISTS (SELECT 1 FROM erased_statements AS s
                   WHERE s.statement_id = c.standing_statement OR s.statement_id = c.overridden_statement))
