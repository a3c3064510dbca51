-- Grain: one statement that is live from now on, of a touched key: an arrival (number > 0) or one of the log (number < 0).
-- Input: keyed_arrivals, touched, log.
SELECT a.number AS number, t.key AS key, a.is_event AS is_event, a.asserts AS asserts, a.valid_from AS valid_from, a.valid_to AS valid_to,
       coalesce(a.observed_at, t.key_at) AS observed, a.sequence AS sequence, a.source AS source, a.confidence AS confidence,
       a.value_key AS value_key, a.statement_id AS statement_id
FROM keyed_arrivals AS a
JOIN touched AS t ON t.dataset = a.dataset AND t.kind = a.kind AND t.k1 = a.k1 AND t.k2 = a.k2 AND t.k3 = a.k3
UNION ALL
SELECT number, key, is_event, asserts, valid_from, valid_to, observed, sequence, source, confidence, value_key, statement_id FROM log
