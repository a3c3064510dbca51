-- Grain: one pair about which a user decides. Input: graph.identity_candidates. Parameters: $dataset, $a, $b, $decision, $reason.
WITH pair AS (
    SELECT least($a, $b) AS a, greatest($a, $b) AS b
), kept AS (
    SELECT a, b, score, evidence, content_hash FROM graph.identity_candidates WHERE dataset = $dataset AND recorded_to = 'infinity'
)
SELECT p.a AS a, p.b AS b, coalesce(k.score, 1.0) AS score, coalesce(k.evidence, '{}') AS evidence,
       coalesce(k.content_hash, unhex(md5(CAST(to_json([p.a, p.b]) AS VARCHAR)))) AS content_hash,
       $decision AS decision, 'manual' AS judge, $reason AS reason
FROM pair AS p LEFT JOIN kept AS k ON k.a = p.a AND k.b = p.b
