-- Grain: a row of one table (its latest state; all states where $valid_time is load). Input: stratagraph.rows. What stands in
-- braces are expressions over fields[i] (the columns at $pointers as JSON), the texts t<i> of those that are needed as such, and
-- $strings[i]; they are put together in table_mapping.py, from positions alone. states: select_first_states or select_all_states. Rows are
-- put in in the order of the log, whatever the number of threads: a scan keeps it, and behind joins they are sorted.
INSERT INTO entities
WITH states AS (
{query}
), fielded AS (
    SELECT *, json_extract(content, CAST($pointers AS VARCHAR[])) AS fields FROM states
), read AS (
    SELECT * {texts} FROM fielded
), timed AS (
    SELECT *, {from_text} AS from_text, {to_text} AS to_text, {observed_text} AS observed_text, {updated_text} AS updated_text,
           CASE WHEN list_contains(CAST($open_values AS VARCHAR[]), {from_text}) THEN '-infinity'::TIMESTAMPTZ
                ELSE instant_of({from_text}, $zone, $from_format) END AS from_instant,
           CASE WHEN list_contains(CAST($open_values AS VARCHAR[]), {to_text}) THEN 'infinity'::TIMESTAMPTZ
                ELSE end_of({to_text}, $zone, $to_format, $closed) END AS to_instant,
           instant_of({observed_text}, $zone, $observed_format) AS observed_instant,
           instant_of({updated_text}, $zone, $updated_format) AS updated_instant
    FROM read
)
SELECT number, $table, key, loaded_at, {ref}, {class}, {label}, '{' || concat_ws(',', {members}) || '}', {parts}, {source_key},
       CASE WHEN $valid_time = 'load' OR ($valid_time = 'columns' AND NOT $bounded) THEN 'event' ELSE 'period' END,
       CASE WHEN present THEN 'assert' ELSE 'retract' END,
       CASE $valid_time WHEN 'load' THEN coalesce(happened_at, CASE WHEN present THEN updated_instant END, loaded_at)
                        WHEN 'columns' THEN coalesce(from_instant, '-infinity'::TIMESTAMPTZ)
                        ELSE '-infinity'::TIMESTAMPTZ END,
       CASE WHEN $valid_time = 'always' THEN 'infinity'::TIMESTAMPTZ
            WHEN $valid_time = 'columns' AND $bounded THEN coalesce(to_instant, 'infinity'::TIMESTAMPTZ) END,
       CASE WHEN present THEN observed_instant END, step, alone, last,
       CASE WHEN {null_key} THEN 'null_key'
            WHEN (from_text IS NOT NULL AND from_instant IS NULL) OR (to_text IS NOT NULL AND to_instant IS NULL)
              OR (observed_text IS NOT NULL AND observed_instant IS NULL) OR (updated_text IS NOT NULL AND updated_instant IS NULL)
            THEN 'unparsable_time'
            WHEN from_instant = 'infinity' OR to_instant = '-infinity' OR isinf(observed_instant) OR isinf(updated_instant)
            THEN 'infinite_time'
            WHEN from_instant > to_instant THEN 'reversed_period' END AS problem,
       CASE problem
            WHEN 'null_key' THEN $null_detail
            WHEN 'unparsable_time' THEN CASE
                 WHEN from_text IS NOT NULL AND from_instant IS NULL THEN 'valid_from is no time: ' || from_text
                 WHEN to_text IS NOT NULL AND to_instant IS NULL THEN 'valid_to is no time: ' || to_text
                 WHEN observed_text IS NOT NULL AND observed_instant IS NULL THEN 'observed_at is no time: ' || observed_text
                 ELSE 'updated_at is no time: ' || updated_text END
            WHEN 'infinite_time' THEN CASE
                 WHEN from_instant = 'infinity' THEN 'valid_from is no start: ' || from_text
                 WHEN to_instant = '-infinity' THEN 'valid_to is no end: ' || to_text
                 WHEN isinf(observed_instant) THEN 'observed_at is no instant: ' || observed_text
                 ELSE 'updated_at is no instant: ' || updated_text END
            WHEN 'reversed_period' THEN 'valid_from is after valid_to: ' || from_text || ', ' || to_text END,
       {refused}
FROM timed {order};
