-- Grain: one row: when the first of what goes was recorded. Before that instant the store is as if it had never been.
-- Inputs: erased_statements, erased_identities.
WITH instants AS (
    SELECT recorded_from AS instant FROM erased_statements UNION ALL SELECT recorded_from FROM erased_identities
)
SELECT min(instant) AS first FROM instants
