-- Grain: one pair that is a candidate, with the evidence and what the rules say of it. merge: the names are one, something independent of
-- them agrees, nothing contradicts; or one is called what the other has as an alias. apart: it cannot be. open: a person or a model decides.
-- content_hash: of what both say, whatever it weighs. Inputs: pair_scores, pair_names, pair_fields, pair_aliases, pair_contradictions.
-- Parameters: $threshold, $agreeing_bits, $differing_bits,
-- $decide: whether the rules decide what is not excluded.
WITH fields AS (
    SELECT a, b, count(*) FILTER (bits >= $agreeing_bits) AS agreeing, count(*) FILTER (bits <= -$differing_bits) AS differing,
           list({'field': field, 'a': ta, 'b': tb, 'bits': round(bits, 1)} ORDER BY field) AS fields,
           list([field, ta, tb] ORDER BY field) AS content
    FROM pair_fields GROUP BY a, b
), against AS (
    SELECT a, b, list({'reason': reason, 'field': field} ORDER BY reason, field) AS contradictions,
           min(reason || ' ' || field) AS first FROM pair_contradictions GROUP BY a, b
), candidates AS (
    SELECT s.a AS a, s.b AS b, s.score AS score, s.bits AS bits, n.name_a AS name_a, n.name_b AS name_b, n.numbers_differ AS numbers_differ,
           round(n.bits, 1) AS name_bits, coalesce(f.agreeing, 0) AS agreeing, coalesce(f.differing, 0) AS differing, f.fields AS fields,
           f.content AS content, g.contradictions AS contradictions, g.first AS against, l.name AS alias, CASE
               WHEN n.a IS NULL THEN 'unnamed'
               WHEN n.spelled = 1 OR n.all_shared THEN 'equal'
               WHEN n.only_a IS NOT NULL AND n.only_b IS NOT NULL THEN 'different'
               WHEN n.only_a IS NOT NULL OR n.only_b IS NOT NULL THEN 'contained'
               ELSE 'similar' END AS names
    FROM pair_scores AS s
    LEFT JOIN pair_names AS n ON n.a = s.a AND n.b = s.b
    LEFT JOIN fields AS f ON f.a = s.a AND f.b = s.b
    LEFT JOIN against AS g ON g.a = s.a AND g.b = s.b
    LEFT JOIN pair_aliases AS l ON l.a = s.a AND l.b = s.b
    WHERE s.score >= $threshold OR l.name IS NOT NULL
), judged AS (
    SELECT *, CASE
        WHEN against IS NOT NULL THEN against
        WHEN alias IS NOT NULL THEN 'alias'
        WHEN numbers_differ THEN 'numbers_differ'
        WHEN names = 'equal' AND agreeing >= 1 THEN 'same_name_and_more'
        WHEN names IN ('contained', 'similar') AND agreeing >= 2 AND differing = 0 THEN 'like_name_and_more'  -- a hospital, a twin
        WHEN names IN ('different', 'unnamed') THEN 'names_differ'
        ELSE 'nothing_independent' END AS reason
    FROM candidates
)
SELECT a, b, score, bits, CASE
           WHEN against IS NOT NULL OR reason = 'numbers_differ' THEN 'apart' WHEN NOT $decide THEN 'open'
           WHEN reason IN ('alias', 'same_name_and_more') THEN 'merge' ELSE 'open' END AS decision, 'rules' AS judge, reason,
       CAST(to_json({'names': [name_a, name_b], 'names_are': names, 'name_bits': name_bits, 'alias': alias, 'fields': fields,
                     'contradictions': contradictions, 'bits': round(bits, 1)}) AS VARCHAR) AS evidence,
       unhex(md5(CAST(to_json([a, b, name_a, name_b, names, alias, reason, CAST(to_json(content) AS VARCHAR)]) AS VARCHAR))) AS content_hash
FROM judged
