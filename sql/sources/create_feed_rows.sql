-- Grain: a change in a feed. Inputs: {table}, dlt's, in the order of the feed; {content}, {key}: as in insert_current_rows; {time},
-- {operation}: columns as text. problem: why it can't be placed. Of two changes of one row at one time the last one counts.
CREATE OR REPLACE TEMP TABLE feed_rows AS
WITH read AS (
    SELECT {content} AS content, {key} AS key, {time} AS time_text, {operation} AS operation_text, rowid AS place FROM {table}
), timed AS (
    SELECT *, instant_of(time_text, $zone) AS moment FROM read
), judged AS (
    SELECT *, coalesce(list_contains(CAST($deletes AS VARCHAR[]), operation_text), false) AS gone,
           CASE WHEN key IS NULL THEN 'null_key'
                WHEN moment IS NULL OR NOT isfinite(moment) THEN 'unparsable_time' END AS problem
    FROM timed
), ranked AS (
    SELECT *, row_number() OVER (PARTITION BY problem, key, moment ORDER BY place DESC) AS age FROM judged
)
SELECT $name AS table_name, $source AS source, key, content, moment, time_text, NOT gone AS present, place, problem FROM ranked
WHERE age = 1 OR problem IS NOT NULL;
