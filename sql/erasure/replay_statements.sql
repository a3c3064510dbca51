-- Grain: one row of the log that began or ended at $at, written again. Input: replayed_statements.
UPDATE graph.statements AS t SET recorded_to = CAST($at AS TIMESTAMPTZ) FROM replayed_statements AS r
WHERE r.dataset = t.dataset AND r.statement_id = t.statement_id AND r.recorded_from = t.recorded_from AND r.recorded_to = CAST($at AS TIMESTAMPTZ);
INSERT INTO graph.statements SELECT r.* REPLACE (CAST('infinity' AS TIMESTAMPTZ) AS recorded_to) FROM replayed_statements AS r
WHERE r.recorded_from = CAST($at AS TIMESTAMPTZ);
