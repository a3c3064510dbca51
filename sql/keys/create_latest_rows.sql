-- Grain: a row of one table of a source as the row log has it now, for tables of which a load brings a part only. Inputs: {name},
-- the temporary table; {cells}, its columns as JSON; $source, $table.
CREATE OR REPLACE TEMP TABLE {name} AS
WITH latest AS (
    SELECT content, present, row_number() OVER (PARTITION BY key ORDER BY loaded_at DESC) AS age
    FROM stratagraph.rows WHERE source = $source AND table_name = $table
)
SELECT {cells} FROM latest WHERE age = 1 AND present;
