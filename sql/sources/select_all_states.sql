-- Grain: a state of a row of a table (its latest one; all states where $valid_time is load). Input: stratagraph.rows. alone: no other
-- state of the row is selected. happened_at: by the time that the row itself says it changed at, if it does.
WITH logged AS NOT MATERIALIZED (
    SELECT rowid AS number, key, content, loaded_at, present FROM stratagraph.rows WHERE source = $source AND table_name = $table
), moved AS MATERIALIZED (
    SELECT DISTINCT key FROM logged WHERE loaded_at > (SELECT min(loaded_at) FROM logged)
), stepped AS (
    SELECT number, key, content, loaded_at, present, row_number() OVER (PARTITION BY key ORDER BY loaded_at DESC) = 1 AS last,
           row_number() OVER (PARTITION BY key ORDER BY loaded_at) - 1 AS step,
           lag(present) OVER (PARTITION BY key ORDER BY loaded_at) AS present_before,
           lag(loaded_at) OVER (PARTITION BY key ORDER BY loaded_at) AS loaded_before,
           instant_of(coalesce({updated}), $zone, $updated_format) AS said
    FROM logged WHERE key IN (SELECT key FROM moved)
), dated AS (
    -- A row that says when it changed is never older than what it replaces; where it was gone before, the gap stays.
    SELECT *, max(CASE WHEN NOT present OR said IS NULL THEN loaded_at WHEN NOT present_before AND said <= loaded_before THEN loaded_at
                       ELSE said END) OVER (PARTITION BY key ORDER BY loaded_at) AS happened_at
    FROM stepped
)
SELECT number, key, content, loaded_at, present, TRUE AS alone, TRUE AS last, 0 AS step, CAST(NULL AS TIMESTAMPTZ) AS happened_at
FROM logged WHERE key NOT IN (SELECT key FROM moved) AND ($valid_time = 'load' OR present)
UNION ALL
SELECT number, key, content, loaded_at, present, $valid_time <> 'load', last, CASE WHEN $dated THEN step ELSE 0 END, happened_at
FROM dated WHERE $valid_time = 'load' OR (last AND present)
