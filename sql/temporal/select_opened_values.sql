-- Grain: one row of rows_opened with its value. Input: rows_opened, normalised, log, current_rows.
SELECT r.kind, r.dataset, r.row_id, r.subject, r.predicate, r.object, CASE r.kind WHEN 'node' THEN n.predicate END AS class,
       CASE r.kind WHEN 'node' THEN n.value ->> 'label' ELSE n.value ->> 'fact' END AS text,
       CAST(json_extract(n.value, '$.properties') AS VARCHAR) AS properties, r.valid_from, r.valid_to, r.key_at, r.confidence,
       r.content_hash, r.value_hash
FROM rows_opened AS r JOIN normalised AS n ON n.number = r.number
UNION ALL
SELECT r.kind, r.dataset, r.row_id, r.subject, r.predicate, r.object, CASE r.kind WHEN 'node' THEN l.class END,
       CASE r.kind WHEN 'node' THEN l.value ->> 'label' ELSE l.value ->> 'fact' END, CAST(json_extract(l.value, '$.properties') AS VARCHAR),
       r.valid_from, r.valid_to, r.key_at, r.confidence, r.content_hash, r.value_hash
FROM rows_opened AS r JOIN log AS l ON l.number = r.number
UNION ALL
SELECT r.kind, r.dataset, r.row_id, r.subject, r.predicate, r.object, c.class, c.text, c.properties, r.valid_from, r.valid_to, r.key_at,
       r.confidence, r.content_hash, r.value_hash
FROM rows_opened AS r JOIN current_rows AS c ON c.number = r.remnant
