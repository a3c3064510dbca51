-- Grain: one new statement, recorded at the time of its key's change. Inputs: keyed_arrivals, normalised, touched.
INSERT INTO graph.statements
    (dataset, statement_id, kind, subject, predicate, object, value, value_hash, facet, mode, polarity, valid_from, valid_to,
     observed_at, sequence, source, scope, evidence_id, extractor, confidence, recorded_from, recorded_to)
SELECT n.dataset, n.statement_id, n.kind, n.subject, n.predicate, n.object, n.value, n.value_hash, n.facet, n.mode, n.polarity, n.valid_from,
       n.valid_to, n.observed_at, n.sequence, n.source, n.scope, n.evidence_id, n.extractor, n.confidence, t.key_at, 'infinity'
FROM normalised AS n
JOIN live AS a ON a.number = n.number
JOIN touched AS t ON t.key = a.key
