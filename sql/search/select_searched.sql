-- Grain: one row per unit, in order of ordinal: what the two arms of the index are written from. Times as in select_columns.sql.
-- Input: {units}.
SELECT u.kind, u.dataset, concat_ws(' ', u.context, u.text) AS text, u.previous_1, u.previous_2, u.next_1, u.next_2,
    CASE WHEN isinf(u.valid_from) THEN -9223372036854775808 ELSE epoch_us(u.valid_from) END::BIGINT AS valid_from,
    CASE WHEN isinf(u.valid_to) THEN 9223372036854775807 ELSE epoch_us(u.valid_to) END::BIGINT AS valid_to,
    epoch_us(u.recorded_from)::BIGINT AS recorded_from,
    CASE WHEN isinf(u.recorded_to) THEN 9223372036854775807 ELSE epoch_us(u.recorded_to) END::BIGINT AS recorded_to
FROM {units} AS u ORDER BY u.ordinal;
