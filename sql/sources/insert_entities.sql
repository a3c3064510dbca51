-- Grain: a row of one table (its latest state; all states where $valid_time is load). Input: stratagraph.rows.
-- $iris: property IRIs as JSON strings, sorted; $columns: JSON pointers of their columns, in that order; $key, $key_names: the
-- primary key as pointers and percent-encoded names; $labels: templates over $columns; $from_column, $to_column: positions in $columns.
INSERT INTO entities
WITH states AS (
    SELECT key, content, loaded_at, present, row_number() OVER (PARTITION BY key ORDER BY loaded_at DESC) AS age
    FROM stratagraph.rows WHERE source = $source AND table_name = $table
), chosen AS (
    SELECT key, content, loaded_at, present, json_extract(content, CAST($columns AS VARCHAR[])) AS fields,
           json_extract_string(content, CAST($columns AS VARCHAR[])) AS texts,
           json_extract_string(content, CAST($key AS VARCHAR[])) AS parts
    FROM states WHERE $valid_time = 'load' OR (age = 1 AND present)
), named AS (
    SELECT *, len(parts) > 0 AND len(list_filter(parts, lambda part: part IS NULL)) > 0 AS null_key,
           CASE WHEN len(parts) > 0 THEN array_to_string(parts, ' ') ELSE json_extract_string(key, '$[1]')[:8] END AS key_text,
           texts[CAST($from_column AS BIGINT)] AS from_text, texts[CAST($to_column AS BIGINT)] AS to_text
    FROM chosen
), timed AS (
    SELECT *, instant_of(from_text, $zone) AS from_instant, instant_of(to_text, $zone) AS to_instant FROM named
)
SELECT $table, key, content, loaded_at,
       CASE WHEN null_key THEN NULL
            WHEN len(parts) = 0 THEN $prefix || '~' || json_extract_string(key, '$[1]') || '.' || json_extract_string(key, '$[2]')
            ELSE $prefix || key_path(CAST($key_names AS VARCHAR[]), parts) END,
       $class,
       coalesce(first_label(CAST($labels AS STRUCT(literals VARCHAR[], indexes BIGINT[], required BIGINT[])[]), texts), $table || ' ' || key_text),
       object_of(CAST($iris AS VARCHAR[]), fields),
       CASE WHEN len(parts) = 0 THEN json_object('row', json_extract_string(key, '$[1]'), 'occurrence', json_extract(key, '$[2]'))
            ELSE object_of(CAST($key_columns AS VARCHAR[]), json_extract(content, CAST($key AS VARCHAR[]))) END,
       CASE WHEN $valid_time = 'load' OR ($valid_time = 'columns' AND $to_column IS NULL) THEN 'event' ELSE 'period' END,
       CASE WHEN present THEN 'assert' ELSE 'retract' END,
       CASE $valid_time WHEN 'load' THEN loaded_at WHEN 'columns' THEN coalesce(from_instant, '-infinity'::TIMESTAMPTZ)
                        ELSE '-infinity'::TIMESTAMPTZ END,
       CASE WHEN $valid_time = 'always' THEN 'infinity'::TIMESTAMPTZ
            WHEN $valid_time = 'columns' AND $to_column IS NOT NULL THEN coalesce(to_instant, 'infinity'::TIMESTAMPTZ) END,
       CASE WHEN null_key THEN 'null_key'
            WHEN (from_text IS NOT NULL AND from_instant IS NULL) OR (to_text IS NOT NULL AND to_instant IS NULL) THEN 'unparsable_time' END,
       CASE WHEN null_key THEN 'a part of the primary key is NULL'
            WHEN from_text IS NOT NULL AND from_instant IS NULL THEN 'valid_from is no time: ' || from_text
            WHEN to_text IS NOT NULL AND to_instant IS NULL THEN 'valid_to is no time: ' || to_text END
FROM timed;
