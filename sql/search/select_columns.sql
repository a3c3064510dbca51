-- Grain: one row per unit, in order of ordinal; what filters need, as integers. Times are microseconds since 1970, with the
-- smallest and greatest integer for -/+ infinity. Input: graph.units.
WITH coded AS (
    SELECT d.dataset, row_number() OVER (ORDER BY d.dataset) - 1 AS code FROM (SELECT DISTINCT u.dataset FROM graph.units AS u) AS d
)
SELECT
    CASE u.kind WHEN 'chunk' THEN 0 WHEN 'fact' THEN 1 WHEN 'node' THEN 2 ELSE 3 END::BIGINT AS kind,
    c.code::BIGINT AS dataset, u.subject_code AS subject, u.object_code AS object, u.unit_key AS key,
    CASE WHEN isinf(u.valid_from) THEN -9223372036854775808 ELSE epoch_us(u.valid_from) END::BIGINT AS valid_from,
    CASE WHEN isinf(u.valid_to) THEN 9223372036854775807 ELSE epoch_us(u.valid_to) END::BIGINT AS valid_to,
    epoch_us(u.recorded_from)::BIGINT AS recorded_from,
    CASE WHEN isinf(u.recorded_to) THEN 9223372036854775807 ELSE epoch_us(u.recorded_to) END::BIGINT AS recorded_to
FROM graph.units AS u JOIN coded AS c ON c.dataset = u.dataset
ORDER BY u.ordinal;
