-- Grain: one candidate as it is decided from now on. Input: {pairs} (a, b, score, evidence, content_hash, decision, judge, reason).
-- Parameters: $dataset, $at.
INSERT INTO graph.identity_candidates
    (dataset, a, b, score, evidence, content_hash, decision, judge, reason, decided_at, recorded_from, recorded_to)
SELECT $dataset, a, b, score, evidence, content_hash, decision, judge, reason,
       CASE decision WHEN 'open' THEN 'infinity' ELSE CAST($at AS TIMESTAMPTZ) END, CAST($at AS TIMESTAMPTZ), 'infinity'
FROM {pairs} ORDER BY a, b
