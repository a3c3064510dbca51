-- Grain: one instant, later than any load of the source.
SELECT greatest(CAST($now AS TIMESTAMPTZ), max(loaded_at) + INTERVAL 1 MICROSECOND)
FROM (SELECT loaded_at FROM stratagraph.rows WHERE source = $source UNION ALL SELECT loaded_at FROM stratagraph.loads WHERE source = $source);
