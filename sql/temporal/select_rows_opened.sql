-- Grain: one segment that is believed from now on, with its value. Input: rows_wanted, live.
SELECT w.dataset AS dataset, w.kind AS kind, w.row_id AS row_id, w.content_hash AS content_hash, w.value_hash AS value_hash,
       w.subject AS subject, w.predicate AS predicate, w.object AS object, w.valid_from AS valid_from, w.valid_to AS valid_to,
       w.confidence AS confidence, w.key_at AS key_at, l.predicate AS class,
       CASE w.kind WHEN 'node' THEN l.value ->> 'label' ELSE l.value ->> 'fact' END AS text,
       CAST(json_extract(l.value, '$.properties') AS VARCHAR) AS properties
FROM rows_wanted AS w
JOIN live AS l ON l.number = w.number
WHERE NOT w.kept
