-- Grain: one refused statement. Input: normalised. The same refusal is written once.
INSERT INTO graph.quarantine (dataset, quarantine_id, stage, reason, detail, payload, location, scope, run_id, recorded_at)
WITH refused AS (
    SELECT coalesce(dataset, '') AS dataset, reason, coalesce(scope, '') AS scope,
           CAST(to_json({'kind': kind, 'subject': subject, 'predicate': predicate, 'object': object, 'value': value, 'facet': facet,
                         'mode': mode, 'polarity': polarity, 'valid_from': CAST(valid_from AS VARCHAR),
                         'valid_to': CAST(valid_to AS VARCHAR), 'quote': quote}) AS VARCHAR) AS payload,
           coalesce(document_id || coalesce('#' || chunk_id, ''), coalesce(source_table, '') || ' ' || coalesce(source_key, '')) AS location,
           coalesce(source, '') AS source
    FROM normalised WHERE reason IS NOT NULL
), numbered AS (
    SELECT DISTINCT *, unhex(md5(CAST(to_json(['belief', reason, payload, location, source]) AS VARCHAR))) AS quarantine_id FROM refused
)
SELECT n.dataset, n.quarantine_id, 'belief', n.reason, 'statement of source ' || n.source, n.payload, n.location, n.scope,
       $run_id, CAST($recorded_at AS TIMESTAMPTZ)
FROM numbered AS n
LEFT JOIN graph.quarantine AS q ON q.dataset = n.dataset AND q.quarantine_id = n.quarantine_id
WHERE q.quarantine_id IS NULL
