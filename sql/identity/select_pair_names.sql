-- Grain: one pair of records that both have a name, with the two of their names that are most alike. What one name has more than the other
-- counts neither for nor against if the other record says it elsewhere (its maker, its town), or the own record does, as long as something
-- of the name is left. only_a, only_b: words that nothing on the other side is like; numbers_differ: a number, sign or numeral is not shared.
-- Inputs: pairs, record_values, value_tokens, token_matches, value_scores.
-- Parameters: $most_name_bits, $unmatched_name, $unmatched_both, $near_text.
WITH named AS (
    SELECT DISTINCT p.a AS a, p.b AS b, x.value AS va, y.value AS vb, x.text AS name_a, y.text AS name_b
    FROM pairs AS p
    JOIN record_values AS x ON x.record = p.a AND x.form = 'name'
    JOIN record_values AS y ON y.record = p.b AND y.form = 'name' AND y.field = x.field
), said AS (
    SELECT DISTINCT v.record AS record, t.token AS token FROM record_values AS v JOIN value_tokens AS t ON t.value = v.value
), said_elsewhere AS (
    SELECT DISTINCT v.record AS record, t.token AS token FROM record_values AS v JOIN value_tokens AS t ON t.value = v.value
    WHERE v.form <> 'name'
), sided AS (
    SELECT n.a AS a, n.b AS b, n.va AS va, n.vb AS vb, m.side AS side, m.token AS token, m.likeness AS likeness, m.bits AS bits,
           m.shared AS shared, CASE m.side WHEN 'a' THEN n.a ELSE n.b END AS own, CASE m.side WHEN 'a' THEN n.b ELSE n.a END AS other
    FROM named AS n JOIN token_matches AS m ON m.va = n.va AND m.vb = n.vb
), explained AS (
    SELECT n.*, n.likeness = 1 OR o.record IS NOT NULL AS by_other, e.record IS NOT NULL AS by_own,
           bool_and(e.record IS NOT NULL) OVER (PARTITION BY n.a, n.b, n.va, n.vb, n.side) AS nothing_left
    FROM sided AS n
    LEFT JOIN said AS o ON o.record = n.other AND o.token = n.token
    LEFT JOIN said_elsewhere AS e ON e.record = n.own AND e.token = n.token
), tokens AS (
    SELECT *, CASE WHEN by_other OR (by_own AND NOT nothing_left) THEN 0 ELSE (1 - likeness) * bits END AS missed FROM explained
), sums AS (
    SELECT a, b, va, vb, least(sum(shared) FILTER (side = 'a'), sum(shared) FILTER (side = 'b')) AS shared,
           sum(missed) FILTER (side = 'a') AS missed_a, sum(missed) FILTER (side = 'b') AS missed_b,
           least(sum(bits) FILTER (side = 'a'), sum(bits) FILTER (side = 'b')) AS whole, bool_and(by_other) AS all_shared,
           list_sort(list(DISTINCT token) FILTER (side = 'a' AND likeness = 0 AND NOT by_other)) AS only_a,
           list_sort(list(DISTINCT token) FILTER (side = 'b' AND likeness = 0 AND NOT by_other)) AS only_b,
           count(*) FILTER (likeness < 1 AND regexp_matches(token, '[\d+#]|^[ivx]+$')) > 0 AS numbers_differ
    FROM tokens GROUP BY a, b, va, vb
), weighed AS (
    SELECT s.*, n.name_a, n.name_b, v.spelled, CASE
        WHEN v.spelled >= $near_text AND NOT s.numbers_differ
        THEN greatest(s.whole * v.spelled, s.shared) - $unmatched_name * s.whole * (1 - v.spelled)
        ELSE s.shared - $unmatched_name * (s.missed_a + s.missed_b) - $unmatched_both * least(s.missed_a, s.missed_b) END AS bits
    FROM sums AS s
    JOIN named AS n ON n.a = s.a AND n.b = s.b AND n.va = s.va AND n.vb = s.vb
    JOIN value_scores AS v ON v.va = s.va AND v.vb = s.vb
), placed AS (
    SELECT *, row_number() OVER (PARTITION BY a, b ORDER BY bits DESC, va, vb) AS place FROM weighed
)
SELECT a, b, name_a, name_b, spelled, all_shared, only_a, only_b, numbers_differ,
       least($most_name_bits, greatest(-$most_name_bits, bits)) AS bits
FROM placed WHERE place = 1
