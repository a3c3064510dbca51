-- Grain: one pair of values that are compared, with the bits that speak for one thing (negative: against), and how alike they are spelled, 0
-- to 1. Names are weighed with the whole records, in pair_names; another neighbour is no evidence.
-- Inputs: value_pairs, token_matches, token_weights.
-- Parameters: $most_bits, $different_bits, $unmatched, $near, $near_text, $number_scale.
WITH words AS (
    SELECT va, vb, least(sum(shared) FILTER (side = 'a'), sum(shared) FILTER (side = 'b')) AS shared,
           sum((1 - likeness) * bits) AS missed, least(sum(bits) FILTER (side = 'a'), sum(bits) FILTER (side = 'b')) AS whole,
           sum(bits) AS all_bits,
           count(*) FILTER (side = 'a' AND likeness < 1 AND regexp_matches(token, '\d')) > 0
               AND count(*) FILTER (side = 'b' AND likeness < 1 AND regexp_matches(token, '\d')) > 0 AS numbers_differ
    FROM token_matches GROUP BY va, vb
), spelled AS (
    SELECT *, CASE
        WHEN ta = tb THEN 1.0
        WHEN form <> other_form THEN 0.0
        WHEN form = 'code' AND least(length(ta), length(tb)) >= 7 AND (suffix(ta, tb) OR suffix(tb, ta)) THEN 1.0
        WHEN form = 'code' AND length(ta) = length(tb) AND length(ta) >= 6 AND damerau_levenshtein(ta, tb) = 1 THEN $near
        WHEN form IN ('text', 'name') AND NOT regexp_matches(ta || tb, '\d')
        THEN 1 - damerau_levenshtein(replace(ta, ' ', ''), replace(tb, ' ', '')) / greatest(length(ta), length(tb))
        ELSE 0.0 END AS spelled
    FROM value_pairs
), weighed AS (
    SELECT p.va AS va, p.vb AS vb, p.field AS field, p.form AS form, p.spelled AS spelled, CASE
        WHEN p.form = 'ref' THEN CASE WHEN p.spelled = 1 THEN x.bits ELSE 0 END
        WHEN p.spelled = 1 THEN coalesce(w.whole, least(x.bits, y.bits))
        WHEN p.form = 'code' AND p.spelled >= $near THEN least(x.bits, y.bits) * p.spelled
        WHEN p.form = 'number' AND p.other_form = 'number' THEN -$different_bits * least(1, $number_scale
             * abs(CAST(p.ta AS DOUBLE) - CAST(p.tb AS DOUBLE)) / greatest(abs(CAST(p.ta AS DOUBLE)), abs(CAST(p.tb AS DOUBLE))))
        WHEN w.numbers_differ AND p.form = 'text' THEN -$different_bits
        WHEN p.form IN ('text', 'name') AND p.spelled >= $near_text
        THEN w.whole * p.spelled - $unmatched * w.all_bits * (1 - p.spelled)
        WHEN p.form IN ('text', 'name') AND p.other_form = p.form THEN w.shared - $unmatched * w.missed
        ELSE -$different_bits END AS bits
    FROM spelled AS p
    LEFT JOIN words AS w ON w.va = p.va AND w.vb = p.vb
    LEFT JOIN token_weights AS x ON x.field = p.field AND x.token = p.ta
    LEFT JOIN token_weights AS y ON y.field = p.field AND y.token = p.tb
)
SELECT va, vb, field, form, spelled, least($most_bits, greatest(-$different_bits, bits)) AS bits FROM weighed
