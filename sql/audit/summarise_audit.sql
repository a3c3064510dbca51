-- Grain: one row: how many rows break an invariant, and the first few keys. Input: {query}.
WITH found AS (
{query}
)
SELECT count(*) AS broken, list(key ORDER BY key)[:5] AS sample FROM found
