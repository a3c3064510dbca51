-- Grain: one row: how many rows of $table both the log and this load have, in how many of them the new column says what the old one
-- said, and how many of those say anything. Inputs: current_rows, stratagraph.rows; $new, $old: JSON pointers of the columns,
-- of the old one under all its names.
WITH last AS (
    SELECT key, arg_max({'content': content, 'present': present}, loaded_at) AS state
    FROM stratagraph.rows WHERE source = $source AND table_name = $table GROUP BY key
), paired AS (
    SELECT list_filter(json_extract_string(l.state.content, CAST($old AS VARCHAR[])), lambda value: value IS NOT NULL)[1] AS said, json_extract_string(c.content, $new) AS says
    FROM last AS l JOIN current_rows AS c ON c.table_name = $table AND c.key = l.key
    WHERE l.state.present
)
SELECT count(*), count(*) FILTER (WHERE said IS NOT DISTINCT FROM says), count(*) FILTER (WHERE said = says) FROM paired;
