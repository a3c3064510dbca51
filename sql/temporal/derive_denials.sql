-- Grain: one live assertion and a touched key of a relation that it excludes: as long as it claims its own relation (own_key), it says that
-- there is no other (design section 4, rule 8). Numbered below the log. Input: spoken, touched, exclusions.
WITH said AS (
    SELECT s.number, s.key, t.dataset, t.k1, t.k2, t.k3 FROM spoken AS s JOIN touched AS t ON t.key = s.key WHERE s.asserts AND t.kind = 'edge'
), denied AS (
    SELECT DISTINCT s.number, s.key, x.dataset, CASE WHEN x.swapped THEN s.k3 ELSE s.k1 END AS k1, x.excluded AS k2,
           CASE WHEN x.swapped THEN s.k1 ELSE s.k3 END AS k3
    FROM said AS s JOIN exclusions AS x ON x.dataset = s.dataset AND x.predicate = s.k2
), lowest AS (
    SELECT least(coalesce(min(number), 0), 0) AS number FROM spoken
), keyed AS (
    SELECT d.number AS said, d.key AS own_key, t.key
    FROM denied AS d JOIN touched AS t ON t.dataset = d.dataset AND t.k1 = d.k1 AND t.k2 = d.k2 AND t.k3 = d.k3
    WHERE t.kind = 'edge' AND t.key <> d.key
)
SELECT l.number - row_number() OVER () AS number, k.key AS key, k.own_key AS own_key, s.is_event AS is_event, s.valid_from AS valid_from,
       s.valid_to AS valid_to, s.observed AS observed, s.sequence AS sequence, s.source AS source, s.confidence AS confidence,
       s.statement_id AS statement_id
FROM keyed AS k JOIN spoken AS s ON s.number = k.said CROSS JOIN lowest AS l
