-- Grain: one statement that is live from now on, of a touched key, as in select_live (spoken); or one that denies it (no value_key), for as long
-- as it claims its own: an event until the next one there. Input: spoken, denials, event_starts.
SELECT number, key, is_event, asserts, valid_from, valid_to, observed, sequence, source, confidence, value_key, statement_id
FROM spoken
UNION ALL
SELECT d.number, d.key, d.is_event, FALSE, d.valid_from, coalesce(d.valid_to, s.claim_to), d.observed, d.sequence, d.source, d.confidence,
       CAST(NULL AS BLOB), d.statement_id
FROM denials AS d LEFT JOIN event_starts AS s ON s.key = d.own_key AND s.valid_from = d.valid_from
