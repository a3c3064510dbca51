-- Grain: one statement and a key that it speaks of: its own, or one that it denies. Input: spoken, denials.
SELECT number, key, is_event, asserts, valid_from, valid_to, observed, sequence, source, confidence, value_key, statement_id
FROM spoken
UNION ALL
SELECT number, key, is_event, FALSE, valid_from, valid_to, observed, sequence, source, confidence, CAST(NULL AS BLOB), statement_id FROM denials
