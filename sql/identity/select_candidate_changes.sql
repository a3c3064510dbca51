-- Grain: one verdict that is new or says something else than the candidate kept so far. What a user decided stays; what a model decided stays
-- while the two say the same. Inputs: verdicts, graph.identity_candidates. Parameter: $dataset.
WITH kept AS (
    SELECT a, b, decision, judge, reason, content_hash FROM graph.identity_candidates WHERE dataset = $dataset AND recorded_to = 'infinity'
)
SELECT v.a AS a, v.b AS b, v.score AS score, v.evidence AS evidence, v.content_hash AS content_hash, v.decision AS decision,
       v.judge AS judge, v.reason AS reason
FROM verdicts AS v LEFT JOIN kept AS k ON k.a = v.a AND k.b = v.b
WHERE k.a IS NULL
   OR (k.judge = 'rules' AND (k.content_hash <> v.content_hash OR k.decision <> v.decision OR k.reason <> v.reason))
   OR (k.judge = 'llm' AND k.content_hash <> v.content_hash)
