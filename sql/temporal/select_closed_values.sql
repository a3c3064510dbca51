-- Grain: one row of rows_closed with its value. Input: rows_closed, current_rows.
SELECT r.kind, r.dataset, r.row_id, r.subject, r.predicate, r.object, c.class, c.text, c.properties, r.valid_from, r.valid_to,
       c.recorded_from, r.key_at, c.confidence, r.content_hash, c.value_hash
FROM rows_closed AS r JOIN current_rows AS c ON c.number = r.number
