-- Grain: one pair of records, with the bits for and against one thing and the probability that follows.
-- Inputs: pairs, pair_names, pair_fields, record_values. Parameter: $background.
WITH fields AS (
    SELECT a, b, sum(bits) AS bits, max(bits) AS best_bits, count(*) AS compared FROM pair_fields GROUP BY a, b
), prior AS (
    SELECT -log2(count(DISTINCT record) + $background) AS bits FROM record_values
), summed AS (
    SELECT p.a AS a, p.b AS b, coalesce(n.bits, 0) AS name_bits, coalesce(f.bits, 0) AS field_bits, coalesce(f.best_bits, 0) AS best_bits,
           r.bits + coalesce(n.bits, 0) + coalesce(f.bits, 0) AS bits
    FROM pairs AS p CROSS JOIN prior AS r
    LEFT JOIN pair_names AS n ON n.a = p.a AND n.b = p.b
    LEFT JOIN fields AS f ON f.a = p.a AND f.b = p.b
)
SELECT a, b, name_bits, field_bits, best_bits, bits, 1 / (1 + pow(2, -bits)) AS score FROM summed
