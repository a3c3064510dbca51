-- Grain: one token of one of two names or texts that are compared (side: whose), with the likeness of the best token on the other side, 0 to
-- 1, and the bits that both share by it. Alike: equal; spelled nearly alike; an initial; a shortening that keeps the first letter and the
-- order of letters. Inputs: value_pairs, value_tokens, token_weights. Parameters: $alike, $shortened.
WITH worded AS (
    SELECT va, vb FROM value_pairs WHERE form IN ('name', 'text') AND other_form = form
), tokens AS (
    SELECT t.value AS value, t.token AS token, t.exact AS exact, w.bits AS bits, length(t.token) AS size, left(t.token, 1) AS beginning
    FROM value_tokens AS t JOIN token_weights AS w ON w.field = t.field AND w.token = t.token
), compared AS (
    SELECT p.va AS va, p.vb AS vb, x.token AS x, y.token AS y, least(x.bits, y.bits) AS bits, CASE
        WHEN x.token = y.token THEN 1.0
        WHEN x.exact OR y.exact THEN 0.0
        WHEN least(x.size, y.size) > 3 AND jaro_winkler_similarity(x.token, y.token) >= $alike
        THEN jaro_winkler_similarity(x.token, y.token)
        WHEN x.beginning <> y.beginning OR x.size = y.size OR least(x.size, y.size) > 5 THEN 0.0
        WHEN least(x.size, y.size) = 1 THEN $shortened
        WHEN x.size < y.size AND regexp_matches(y.token, array_to_string(string_split(x.token, ''), '.*')) THEN $shortened
        WHEN x.size > y.size AND regexp_matches(x.token, array_to_string(string_split(y.token, ''), '.*')) THEN $shortened
        ELSE 0.0 END AS likeness
    FROM worded AS p
    JOIN tokens AS x ON x.value = p.va
    JOIN tokens AS y ON y.value = p.vb
), alike AS (
    SELECT * FROM compared WHERE likeness > 0
), best AS (
    SELECT va, vb, 'a' AS side, x AS token, max(likeness) AS likeness, max(likeness * bits) AS shared FROM alike GROUP BY va, vb, x
    UNION ALL
    SELECT va, vb, 'b', y, max(likeness), max(likeness * bits) FROM alike GROUP BY va, vb, y
), sides AS (
    SELECT p.va AS va, p.vb AS vb, 'a' AS side, t.token AS token, t.bits AS bits FROM worded AS p JOIN tokens AS t ON t.value = p.va
    UNION ALL
    SELECT p.va, p.vb, 'b', t.token, t.bits FROM worded AS p JOIN tokens AS t ON t.value = p.vb
)
SELECT s.va AS va, s.vb AS vb, s.side AS side, s.token AS token, s.bits AS bits, coalesce(b.likeness, 0) AS likeness,
       coalesce(b.shared, 0) AS shared
FROM sides AS s LEFT JOIN best AS b ON b.va = s.va AND b.vb = s.vb AND b.side = s.side AND b.token = s.token
