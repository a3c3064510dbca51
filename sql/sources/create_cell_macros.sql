-- Grain: temporary macros over the cells (text) of one column; each gives a struct of what all its cells that have a value show.
CREATE OR REPLACE TEMP MACRO scale_of(cell) AS length(regexp_extract(cell, '\.([0-9]+)Z?$', 1));
-- A number whose spelling follows from its value: no leading zero, no +, no -0, no exponent.
CREATE OR REPLACE TEMP MACRO number_facts(cell) AS {
    'fits': bool_and(regexp_full_match(cell, '-?(0|[1-9][0-9]*)(\.[0-9]+)?') AND NOT regexp_full_match(cell, '-0(\.0+)?')),
    'whole': max(length(regexp_extract(cell, '^-?([0-9]+)', 1))), 'scale': max(scale_of(cell)), 'min_scale': min(scale_of(cell)),
    'trailing': bool_or(regexp_full_match(cell, '.*\.[0-9]*0'))};
CREATE OR REPLACE TEMP MACRO boolean_facts(cell) AS {'fits': bool_and(cell IN ('true', 'false'))};
CREATE OR REPLACE TEMP MACRO date_facts(cell) AS {
    'fits': bool_and(regexp_full_match(cell, '[0-9]{4}-[0-9]{2}-[0-9]{2}') AND coalesce(CAST(TRY_CAST(cell AS DATE) AS VARCHAR) = cell, false))
        FILTER (WHERE cell IS NOT NULL)};
-- An ISO 8601 time with seconds; all with T or all with a space, all with Z or none.
CREATE OR REPLACE TEMP MACRO time_facts(cell) AS {
    'fits': bool_and(regexp_full_match(cell, '[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?Z?')
        AND coalesce(strftime(TRY_CAST(rtrim(cell, 'Z') AS TIMESTAMP), '%Y-%m-%d %H:%M:%S') = replace(left(cell, 19), 'T', ' '), false))
        FILTER (WHERE cell IS NOT NULL),
    'separators': count(DISTINCT substr(cell, 11, 1)), 'zones': count(DISTINCT right(cell, 1) = 'Z'), 'zone': bool_or(right(cell, 1) = 'Z'),
    'scale': max(scale_of(cell)), 'min_scale': min(scale_of(cell)), 'trailing': bool_or(regexp_full_match(cell, '.*\.[0-9]*0Z?'))};
