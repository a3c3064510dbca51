-- Grain: one piece of a conflict, as derive_pieces gives it of a row: its identity is both key and value. Input: disputes_named, current_conflicts.
SELECT conflict_id AS key, valid_from, valid_to, conflict_id AS value_key, 1.0 AS confidence, CAST(NULL AS BIGINT) AS number,
       CAST(NULL AS BIGINT) AS remnant
FROM disputes_named
UNION ALL
SELECT conflict_id, greatest(valid_from, coalesce(prev_to, valid_from)), least(valid_to, window_from), conflict_id, 1.0, NULL, NULL
FROM current_conflicts WHERE valid_from < window_from AND coalesce(prev_to < window_from, TRUE)
UNION ALL
SELECT conflict_id, greatest(valid_from, window_to), valid_to, conflict_id, 1.0, NULL, NULL
FROM current_conflicts WHERE valid_to > window_to AND coalesce(valid_to < next_from, TRUE)
