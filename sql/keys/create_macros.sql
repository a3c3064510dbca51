-- Grain: temporary macros of this layer: aggregates over the cells of one column. kind: number (n), text (s), time (t), or no key
-- can be made of them (x), as of cells of several kinds and of fractions.
CREATE OR REPLACE TEMP MACRO profile_of(cell, kind, width) AS
    {'filled': count(cell), 'distinct': approx_count_distinct(cell), 'kind': kind, 'length': coalesce(width, 0.0)};
CREATE OR REPLACE TEMP MACRO profile_of_numbers(cell) AS profile_of(cell, 'n', 0.0);
CREATE OR REPLACE TEMP MACRO profile_of_times(cell) AS profile_of(cell, 't', 0.0);
CREATE OR REPLACE TEMP MACRO profile_of_text(cell) AS profile_of(cell, 's', avg(length(CAST(cell AS VARCHAR))));
CREATE OR REPLACE TEMP MACRO profile_of_others(cell) AS
    {'filled': count(cell), 'distinct': 0::BIGINT, 'kind': 'x', 'length': 0.0::DOUBLE};
CREATE OR REPLACE TEMP MACRO profile_of_mixed(cell, kind) AS profile_of(cell,
    CASE WHEN min(kind) FILTER (cell IS NOT NULL) <> max(kind) FILTER (cell IS NOT NULL)
              OR bool_or(kind = 'n' AND contains(cell, '.')) THEN 'x' ELSE min(kind) FILTER (cell IS NOT NULL) END,
    avg(length(cell)));

-- Rows with a value, and different values.
CREATE OR REPLACE TEMP MACRO counts_of(cell) AS [count(cell), count(DISTINCT cell)];
