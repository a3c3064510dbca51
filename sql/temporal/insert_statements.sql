-- Grain: one new statement. Inputs: keyed_arrivals, touched (gives the transaction time of its key).
INSERT INTO graph.statements
    (dataset, statement_id, kind, subject, predicate, object, value, value_hash, facet, mode, polarity, valid_from, valid_to,
     observed_at, sequence, source, scope, evidence_id, extractor, confidence, recorded_from, recorded_to)
SELECT a.dataset, a.statement_id, a.kind, a.subject, a.predicate, a.object,
       CASE a.kind WHEN 'node' THEN CAST(json_object('label', a.text, 'properties', CAST(a.properties AS JSON)) AS VARCHAR)
                   ELSE CAST(json_object('fact', a.text, 'properties', CAST(a.properties AS JSON)) AS VARCHAR) END,
       a.value_hash, a.facet, a.mode, a.polarity, a.valid_from, a.valid_to, a.observed_at, a.sequence, a.source, a.scope, a.evidence_id,
       a.extractor, a.confidence, t.key_at, 'infinity'
FROM keyed_arrivals AS a
JOIN touched AS t ON t.dataset = a.dataset AND t.key_kind = a.key_kind AND t.k1 = a.k1 AND t.k2 = a.k2 AND t.k3 = a.k3
