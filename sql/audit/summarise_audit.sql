-- Grain: one row: how many rows break an invariant, and the first few keys. Input: the query of an audit.
WITH found AS (
{query}
)
SELECT count(*) AS broken, min(key, 5) AS sample FROM found
