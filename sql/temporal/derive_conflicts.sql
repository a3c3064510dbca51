-- Grain: two statements of a touched key that cannot both be right, and which one stands. Input: contests, candidates.
-- Listed: an override between different sources, and a tie that only the content hash or sequence decided.
WITH ranked AS (
    SELECT dataset, key_kind, k1, k2, k3, key_at, cell_from, place, statement_id, source, observed, is_period, value_hash, object_node, polarity
    FROM contests
), overridden AS (
    SELECT l.dataset, l.key_kind, l.k1, l.k2, l.k3, l.key_at, w.statement_id AS standing, l.statement_id AS loser,
           CASE WHEN w.source <> l.source THEN 'override_between_sources' ELSE 'tie_within_source' END AS rule,
           CASE WHEN w.observed > l.observed THEN 'later observation stands'
                WHEN w.is_period AND NOT l.is_period THEN 'a period stands over an event of the same observation time'
                ELSE 'same observation time: higher sequence or content hash stands' END AS reason
    FROM ranked AS l
    JOIN ranked AS w ON w.dataset = l.dataset AND w.key_kind = l.key_kind AND w.k1 = l.k1 AND w.k2 = l.k2 AND w.k3 = l.k3
        AND w.cell_from = l.cell_from
    WHERE w.place = 1 AND l.place > 1 AND l.polarity = 'assert'
      AND (w.value_hash <> l.value_hash OR w.object_node IS DISTINCT FROM l.object_node OR w.polarity <> l.polarity)
      AND (w.source <> l.source OR w.observed = l.observed)
), same_start AS (
    SELECT l.dataset, l.key_kind, l.k1, l.k2, l.k3, l.key_at, w.statement_id AS standing, l.statement_id AS loser,
           CASE WHEN w.source <> l.source THEN 'override_between_sources' ELSE 'tie_within_source' END AS rule,
           CASE WHEN w.observed > l.observed THEN 'later observation stands'
                ELSE 'same start and observation time: higher sequence or content hash stands' END AS reason
    FROM candidates AS l
    JOIN candidates AS w ON w.dataset = l.dataset AND w.key_kind = l.key_kind AND w.k1 = l.k1 AND w.k2 = l.k2 AND w.k3 = l.k3
        AND w.valid_from = l.valid_from
    WHERE w.eligible AND NOT w.is_period AND NOT l.eligible AND l.polarity = 'assert'
      AND (w.value_hash <> l.value_hash OR w.object_node IS DISTINCT FROM l.object_node OR w.polarity <> l.polarity)
      AND (w.source <> l.source OR w.observed = l.observed)
), found AS (
    SELECT * FROM overridden UNION SELECT * FROM same_start
)
SELECT dataset, key_kind AS kind, k1 AS subject, k2 AS predicate, k3 AS object, standing, loser, min(rule) AS rule, min(reason) AS reason,
       any_value(key_at) AS key_at,
       unhex(md5(CAST(to_json([dataset, key_kind, k1, k2, k3, hex(standing), hex(loser), min(rule), min(reason)]) AS VARCHAR))) AS conflict_id
FROM found GROUP BY dataset, key_kind, k1, k2, k3, standing, loser
