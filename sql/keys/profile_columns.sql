-- Grain: a column of {table}, by its position. Inputs: {texts} and {kinds}, lists of each column's cell as text and of what it
-- is; $step: every how many-th row is looked at. A column of several kinds, or of fractions, is no key.
WITH cells AS (
    SELECT unnest(range($count)) AS position, unnest([{texts}]) AS cell, unnest([{kinds}]) AS kind
    FROM {table} WHERE rowid % $step = 0
)
SELECT position, count(*), count(cell), approx_count_distinct(cell),
    CASE WHEN count(cell) = 0 THEN '' WHEN min(kind) FILTER (cell IS NOT NULL) <> max(kind) FILTER (cell IS NOT NULL)
              OR bool_or(kind = 'n' AND contains(cell, '.')) THEN 'x' ELSE min(kind) FILTER (cell IS NOT NULL) END,
    coalesce(avg(length(cell)), 0)
FROM cells GROUP BY position ORDER BY position;
