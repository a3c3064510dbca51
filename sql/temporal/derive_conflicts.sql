-- Grain: two statements of a touched key that cannot both be right, and which one stands. Input: contests, winners, candidates, touched.
-- Listed: an override between different sources, and a tie that only the content hash decided.
WITH doubtful AS (
    SELECT key FROM candidates GROUP BY key
    HAVING min(source) <> max(source) OR count(*) > count(DISTINCT {'a': observed, 'b': sequence})
), eligible AS (
    SELECT c.* FROM candidates AS c JOIN doubtful AS d ON d.key = c.key WHERE c.eligible
), losers AS (
    SELECT c.key, c.cell_from, c.number FROM contests AS c JOIN doubtful AS d ON d.key = c.key
), pairs AS (
    SELECT l.number AS loser, w.number AS standing FROM losers AS l
    JOIN winners AS w ON w.key = l.key AND w.valid_from = l.cell_from WHERE w.number <> l.number
    UNION
    SELECT l.number, e.number FROM candidates AS l
    JOIN eligible AS e ON e.key = l.key AND e.valid_from = l.valid_from WHERE NOT l.eligible AND NOT e.is_period
), judged AS (
    SELECT l.key AS key, w.statement_id AS standing, l.statement_id AS loser,
           CASE WHEN w.source <> l.source THEN 'override_between_sources' ELSE 'tie_within_source' END AS rule,
           CASE WHEN w.observed > l.observed THEN 'later observation stands'
                WHEN w.is_period AND NOT l.is_period THEN 'a period stands over an event of the same observation time'
                WHEN w.sequence > l.sequence THEN 'same observation time: higher sequence stands'
                WHEN w.observed = l.observed THEN 'same observation time and sequence: content hash decides'
                ELSE 'later start stands' END AS reason
    FROM pairs AS p
    JOIN candidates AS w ON w.number = p.standing
    JOIN candidates AS l ON l.number = p.loser
    WHERE l.polarity = 'assert'
      AND (w.value_hash <> l.value_hash OR w.object IS DISTINCT FROM l.object OR w.polarity <> l.polarity)
      AND (w.source <> l.source OR (w.observed = l.observed AND w.sequence = l.sequence AND w.is_period = l.is_period))
)
SELECT DISTINCT t.dataset AS dataset, t.key_kind AS kind, t.k1 AS subject, t.k2 AS predicate, t.k3 AS object, j.standing AS standing,
       j.loser AS loser, j.rule AS rule, j.reason AS reason, t.key_at AS key_at,
       unhex(md5(CAST(to_json([t.dataset, t.key_kind, t.k1, t.k2, t.k3, hex(j.standing), hex(j.loser), j.rule, j.reason]) AS VARCHAR)))
           AS conflict_id
FROM judged AS j JOIN touched AS t ON t.key = j.key
